import { isObject, setOwn } from "../json.js";
import { type CheckKind, changesWithoutNull, isFixed, type Node, PlanReader, type Property } from "./decode-plan.js";
import type { LinkedSchema } from "./json-schema.js";
import { parse } from "./schema-marks.js";

/**
 * Makes the function that turns a model's JSON into what the check wants: null becomes absent where a property is optional but not nullable, and
 * marked values are parsed. What does not fit is left as it came, so that the check can say so.
 *
 * The function changes nothing in its argument and copies only what differs.
 * @returns `undefined` when the schema needs no decoding at all.
 */
export function compileDecoder(linked: LinkedSchema, check: CheckKind): ((input: unknown) => unknown) | undefined {
  const reader = new PlanReader(linked, check);
  const root = reader.read(linked.root, false);
  const nodes = reader.finish();
  if (!root.active) return undefined;
  const apply = new Decoder(linked).apply;
  const onlyNulls = !nodes.some(
    (node) => (node.parse !== undefined && node.parse !== "absent") || node.properties.some(changesWithoutNull),
  );
  return onlyNulls ? (input) => (holdsNull(input) ? apply(root, input) : input) : (input) => apply(root, input);
}

function holdsNull(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value !== "object") return false;
  for (const key in value) if (holdsNull((value as Record<string, unknown>)[key])) return true;
  return false;
}

class Decoder {
  readonly #linked: LinkedSchema;
  constructor(linked: LinkedSchema) {
    this.#linked = linked;
  }

  readonly apply = (node: Node, value: unknown): unknown => {
    if (!node.active) return value;
    let result = value;
    for (const part of node.all) result = this.apply(part, result);
    if (Array.isArray(result)) result = this.#applyToItems(node, result);
    else if (isPlain(result)) result = this.#applyToProperties(node, result);
    for (const branches of node.unions) {
      const branch = this.#choose(branches, result);
      if (branch !== undefined) result = this.apply(branch, result);
    }
    return node.parse === undefined ? result : parse(node.parse, result);
  };

  #applyToItems(node: Node, list: readonly unknown[]): readonly unknown[] {
    let length = list.length;
    while (length > 0 && list[length - 1] === null && node.prefixDropsNull[length - 1] === true) length--;
    let copy = length === list.length ? undefined : list.slice(0, length);
    for (const [index, before] of list.slice(0, length).entries()) {
      const part = index < node.prefix.length ? node.prefix[index] : node.items;
      const after = part === undefined ? before : this.apply(part, before);
      if (after === before) continue;
      copy ??= [...list];
      copy[index] = after;
    }
    return copy ?? list;
  }

  #applyToProperties(node: Node, object: Record<string, unknown>): Record<string, unknown> {
    const result = new CopyOnChange(object);
    for (const property of node.properties) this.#applyToProperty(property, result);
    if (node.patterns.length === 0 && node.others === undefined) return result.value;
    for (const name of Object.keys(object)) {
      if (!Object.hasOwn(result.value, name)) continue; // it was null for absent
      for (const part of otherParts(node, name)) result.set(name, this.apply(part, result.value[name]));
    }
    return result.value;
  }

  #applyToProperty({ name, node, fallback, fillsUndefined, hidesInherited, dropsNull }: Property, result: CopyOnChange): void {
    const present = Object.hasOwn(result.value, name);
    if (present && !(dropsNull && result.value[name] === null)) {
      result.set(name, this.apply(node, result.value[name]));
      return;
    }
    if (present) result.delete(name);
    if (fallback !== undefined) result.set(name, this.apply(node, fallback));
    else if (fillsUndefined) result.add(name, undefined);
    else if (hidesInherited) result.hideInherited();
  }

  /** The first branch that the value fits; failing that, the one it was most likely meant for. */
  #choose(branches: readonly Node[], value: unknown): Node | undefined {
    const fitting = branches.find((branch) => this.#fits(branch, value));
    if (fitting !== undefined || !isObject(value)) return fitting;
    const tagged = branches.find((branch) => this.#hasTagsOf(branch, value));
    if (tagged !== undefined) return tagged;
    const objects = branches.filter((branch) => propertiesOf(branch).length > 0);
    return objects.length === 1 ? objects[0] : undefined;
  }

  #hasTagsOf(branch: Node, value: Record<string, unknown>): boolean {
    const tags = propertiesOf(branch).filter((property) => isFixed(property.node) && property.required);
    return tags.length > 0 && tags.every(({ name, node }) => Object.hasOwn(value, name) && this.#fits(node, value[name]));
  }

  /** Whether a value is one that the schema allows, before it is decoded. */
  #fits(node: Node, value: unknown): boolean {
    if (node.parse === "absent") return false;
    if ((node.parse === "date" || node.parse === "bigint") && parse(node.parse, value) === value)
      return typeof value === "object" && !isPlain(value);
    if (!this.#linked.validate(value, node.self).valid) return false;
    if (!node.all.every((part) => this.#fits(part, value))) return false;
    if (Array.isArray(value) && !this.#itemsFit(node, value)) return false;
    if (isPlain(value) && !this.#propertiesFit(node, value)) return false;
    return node.unions.every((branches) => branches.some((branch) => this.#fits(branch, value)));
  }

  #itemsFit(node: Node, list: readonly unknown[]): boolean {
    return list.every((item, index) => {
      if (item === null && node.prefixDropsNull[index] === true) return true; // too kind only where something follows
      const part = index < node.prefix.length ? node.prefix[index] : node.items;
      return part === undefined || this.#fits(part, item);
    });
  }

  #propertiesFit(node: Node, object: Record<string, unknown>): boolean {
    for (const { name, node: part, dropsNull } of node.properties) {
      if (!Object.hasOwn(object, name) || (dropsNull && object[name] === null)) continue;
      if (!this.#fits(part, object[name])) return false;
    }
    return Object.keys(object).every((name) => otherParts(node, name).every((part) => this.#fits(part, object[name])));
  }
}

/** The schemas besides `properties` that a property of this name falls under. */
function otherParts(node: Node, name: string): readonly Node[] {
  const matching = node.patterns.filter(({ pattern }) => pattern.test(name)).map((entry) => entry.node);
  if (matching.length > 0 || node.names.has(name) || node.others === undefined) return matching;
  return [node.others];
}

function propertiesOf(node: Node): readonly Property[] {
  return node.all.length === 0 ? node.properties : [...node.properties, ...node.all.flatMap(propertiesOf)];
}

/** An object that is copied when the first change is made to it. */
class CopyOnChange {
  value: Record<string, unknown>;
  #copied = false;
  constructor(original: Record<string, unknown>) {
    this.value = original;
  }
  set(name: string, after: unknown): void {
    if (Object.hasOwn(this.value, name) && this.value[name] === after) return;
    this.add(name, after);
  }
  add(name: string, after: unknown): void {
    setOwn(this.#own(), name, after);
  }
  delete(name: string): void {
    delete this.#own()[name];
  }
  hideInherited(): void {
    Object.setPrototypeOf(this.#own(), null);
  }
  #own(): Record<string, unknown> {
    if (!this.#copied) this.value = { ...this.value }; // a spread keeps `__proto__` as an own key
    this.#copied = true;
    return this.value;
  }
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !(value instanceof Date || value instanceof Map || value instanceof Set);
}
