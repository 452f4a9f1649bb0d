import type { Position } from "./position-map.js";

/** TypeScript that could not be read. */
export class TypeScriptSyntaxError extends Error {
  override readonly name = "TypeScriptSyntaxError";
  readonly position: Position | undefined;
  constructor({ message, position }: { message: string; position: Position | undefined }) {
    super(message);
    this.position = position;
  }
}
