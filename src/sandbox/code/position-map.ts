/** Text that replaces a part of the code. Holds no line break, and replaces none. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A place in a text, line and column from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Makes all edits at once. They may not overlap. */
export function applyEdits(code: string, edits: readonly Edit[]): string {
  let text = "";
  let from = 0;
  for (const edit of inOrder(edits)) {
    text += code.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return text + code.slice(from);
}

/** Where a place of the edited text was before. Since edits keep lines, only columns move. */
export function placeBefore(position: Position, { code, edits }: { readonly code: string; readonly edits: readonly Edit[] }): Position {
  const lineStart = startOfLine(code, position.line);
  let shift = 0;
  for (const edit of inOrder(edits)) {
    if (edit.start < lineStart) continue;
    const column = edit.start - lineStart + shift + 1;
    if (code.slice(lineStart, edit.start).includes("\n") || column > position.column) break;
    shift += edit.text.length - (edit.end - edit.start);
  }
  return { line: position.line, column: Math.max(position.column - shift, 1) };
}

/** Line and column of an offset. */
export function positionAt(code: string, offset: number): Position {
  const before = code.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

function startOfLine(code: string, line: number): number {
  let start = 0;
  for (let passed = 1; passed < line; passed++) {
    const next = code.indexOf("\n", start);
    if (next < 0) return code.length;
    start = next + 1;
  }
  return start;
}

function inOrder(edits: readonly Edit[]): Edit[] {
  return edits.toSorted((a, b) => a.start - b.start);
}
