import type { Schema as CheckerSchema } from "@cfworker/json-schema";
import { isObject, type JsonSchema, setOwn } from "./json.js";
import type { LinkedSchema, Subschema } from "./json-schema.js";

/** Marks a schema whose JSON value stands for something that JSON does not have. Taken out before a model sees the schema. */
export const PARSE = "~parse";
/** Marks a schema whose check wants the JSON value as it came, because it does its own parsing first. Taken out like {@link PARSE}. */
export const RAW = "~raw";

/**
 * What a marked JSON value is turned into: text into a date or a bigint, a list into a set, a list of pairs or an object into a map. `absent` is for
 * a place that may only hold nothing.
 */
export type Parse = "date" | "bigint" | "set" | "map" | "map-object" | "absent";

/** What {@link compileDecoder} takes. */
export interface DecoderOptions {
  /** Fills in the `default` of an absent property, for a check that does not do so itself. */
  readonly applyDefaults: boolean;
  /** Hides `Object.prototype` where a property of such a name is absent, for a check that would read the inherited one. */
  readonly hideInherited: boolean;
}

interface Node {
  /** The assertions about the value itself, without those that go into it. */
  readonly self: CheckerSchema | boolean;
  readonly parse: Parse | undefined;
  readonly all: readonly Node[];
  readonly unions: ReadonlyArray<readonly Node[]>;
  /** Those with a fixed value first, so that a branch of a union is ruled out before anything deep is looked at. */
  readonly properties: readonly Property[];
  readonly names: ReadonlySet<string>;
  readonly patterns: ReadonlyArray<{ readonly pattern: RegExp; readonly node: Node }>;
  readonly others: Node | undefined;
  readonly prefix: readonly Node[];
  readonly items: Node | undefined;
  /** Whether something here or below may have to change. Set once the whole schema is read. */
  active: boolean;
}

interface Property {
  readonly name: string;
  readonly node: Node;
  readonly required: boolean;
  readonly fallback: unknown;
  /** The check demands the key, with the value `undefined`. */
  readonly fillsUndefined: boolean;
  readonly hidesInherited: boolean;
  /** Null stands for absent. Set once the whole schema is read. */
  dropsNull: boolean;
}

/**
 * Makes the function that turns a model's JSON into what the check wants: null becomes absent where a property is optional but not nullable, and
 * marked values are parsed. What does not fit is left as it came, so that the check can say so.
 *
 * The function changes nothing in its argument and copies only what differs.
 * @returns `undefined` when the schema needs no decoding at all.
 */
export function compileDecoder(linked: LinkedSchema, options: DecoderOptions): ((input: unknown) => unknown) | undefined {
  const reader = new PlanReader(linked, options);
  const root = reader.read(linked.root, false);
  const nodes = reader.finish();
  if (!root.active) return undefined;
  const apply = new Decoder(linked).apply;
  const onlyNulls = !nodes.some(
    (node) => (node.parse !== undefined && node.parse !== "absent") || node.properties.some(changesWithoutNull),
  );
  return onlyNulls ? (input) => (holdsNull(input) ? apply(root, input) : input) : (input) => apply(root, input);
}

function changesWithoutNull(property: Property): boolean {
  return property.fallback !== undefined || property.fillsUndefined || property.hidesInherited;
}

function holdsNull(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value !== "object") return false;
  for (const key in value) if (holdsNull((value as Record<string, unknown>)[key])) return true;
  return false;
}

/** Keywords that are either read into the plan or say nothing about a value. */
const NOT_SELF = new Set(
  (
    "$ref $defs definitions $id $schema $anchor $comment title description default examples deprecated readOnly writeOnly allOf anyOf oneOf " +
    "properties patternProperties additionalProperties unevaluatedProperties prefixItems items additionalItems unevaluatedItems"
  ).split(" "),
);

class PlanReader {
  readonly #linked: LinkedSchema;
  readonly #options: DecoderOptions;
  readonly #nodes = { parsed: new Map<JsonSchema, Node>(), raw: new Map<JsonSchema, Node>() };
  constructor(linked: LinkedSchema, options: DecoderOptions) {
    this.#linked = linked;
    this.#options = options;
  }

  read(schema: Subschema, parentIsRaw: boolean): Node {
    if (typeof schema === "boolean") return emptyNode(schema);
    const raw = parentIsRaw || schema[RAW] === true;
    const known = this.#nodes[raw ? "raw" : "parsed"];
    const found = known.get(schema);
    if (found !== undefined) return found;
    const self: Record<string, unknown> = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !NOT_SELF.has(keyword)));
    const node = emptyNode(self);
    known.set(schema, node); // before its parts are read: they may lead back here
    Object.assign(node, this.#readParts(schema, raw));
    const filledIn = new Set(node.properties.filter((property) => !property.required).map((property) => property.name));
    if (Array.isArray(self["required"])) self["required"] = self["required"].filter((name) => !filledIn.has(name));
    return node;
  }

  #readParts(schema: JsonSchema, raw: boolean): Partial<Node> {
    const read = (part: unknown) => this.read(part as Subschema, raw);
    const readAll = (parts: unknown) => (Array.isArray(parts) ? parts.map(read) : []);
    const items = schema["items"];
    const tuple = Array.isArray(items) ? items : schema["prefixItems"];
    const rest = Array.isArray(items) ? schema["additionalItems"] : items;
    const others = schema["additionalProperties"];
    const target = this.#linked.target(schema);
    const properties = Object.entries((schema["properties"] as Record<string, Subschema> | undefined) ?? {});
    const patterns = Object.entries((schema["patternProperties"] as Record<string, Subschema> | undefined) ?? {});
    return {
      parse: raw && schema[PARSE] !== "absent" ? undefined : (schema[PARSE] as Parse | undefined),
      all: [...(target === undefined ? [] : [read(target)]), ...readAll(schema["allOf"])],
      unions: [schema["anyOf"], schema["oneOf"]].map(readAll).filter((branches) => branches.length > 0),
      properties: properties.map(([name, part]) => this.#readProperty(schema, name, part, raw)).sort(fixedFirst),
      names: new Set(properties.map(([name]) => name)),
      patterns: patterns.map(([pattern, part]) => ({ pattern: new RegExp(pattern, "u"), node: read(part) })),
      others: others === undefined ? undefined : read(others),
      prefix: readAll(tuple),
      items: rest === undefined ? undefined : read(rest),
    };
  }

  #readProperty(owner: JsonSchema, name: string, schema: Subschema, raw: boolean): Property {
    const listed = ((owner["required"] as readonly string[] | undefined) ?? []).includes(name);
    const fallback = typeof schema === "object" ? schema["default"] : undefined;
    return {
      name,
      node: this.read(schema, raw),
      required: listed && fallback === undefined && !mayBeAbsent(schema),
      fallback: this.#options.applyDefaults ? fallback : undefined,
      fillsUndefined: mayBeAbsent(schema) && listed,
      hidesInherited: this.#options.hideInherited && name in Object.prototype,
      dropsNull: false,
    };
  }

  /** Settles what could not be known before every part was read. Returns all nodes. */
  finish(): Node[] {
    const nodes = [...this.#nodes.parsed.values(), ...this.#nodes.raw.values()];
    for (const property of nodes.flatMap((node) => node.properties)) {
      property.dropsNull = !property.required && !this.#acceptsNull(property.node, new Set());
    }
    for (let changed = true; changed; ) {
      changed = false;
      for (const node of nodes) {
        if (node.active || !(changesItself(node) || partsOf(node).some((part) => part.active))) continue;
        node.active = true;
        changed = true;
      }
    }
    return nodes;
  }

  #acceptsNull(node: Node, open: Set<Node>): boolean {
    if (open.has(node)) return true; // what it is part of decides
    if (node.parse !== undefined || !this.#linked.validate(null, node.self).valid) return false;
    const within = new Set(open).add(node);
    return (
      node.all.every((part) => this.#acceptsNull(part, within)) &&
      node.unions.every((branches) => branches.some((branch) => this.#acceptsNull(branch, within)))
    );
  }
}

/** Whether a marked schema allows its property to be left out, although the check wants the key to be there. */
export function mayBeAbsent(schema: Subschema): boolean {
  if (typeof schema === "boolean") return false;
  if (schema[PARSE] === "absent") return true;
  return [schema["anyOf"], schema["oneOf"]].some((branches) => Array.isArray(branches) && branches.some(mayBeAbsent));
}

function emptyNode(self: CheckerSchema | boolean): Node {
  const none = { all: [], unions: [], properties: [], names: new Set<string>(), patterns: [], prefix: [] };
  return { self, parse: undefined, ...none, others: undefined, items: undefined, active: false };
}

function fixedFirst(left: Property, right: Property): number {
  return Number(isFixed(right.node)) - Number(isFixed(left.node));
}

function isFixed(node: Node): boolean {
  return typeof node.self === "object" && (node.self.const !== undefined || node.self.enum !== undefined);
}

function changesItself(node: Node): boolean {
  return node.parse !== undefined || node.properties.some((property) => property.dropsNull || changesWithoutNull(property));
}

function partsOf(node: Node): Node[] {
  const maybe = [node.others, node.items].filter((part) => part !== undefined);
  const inObject = [...node.properties, ...node.patterns].map((part) => part.node);
  return [...node.all, ...node.unions.flat(), ...inObject, ...node.prefix, ...maybe];
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
    let copy: unknown[] | undefined;
    for (const [index, before] of list.entries()) {
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

function parse(kind: Parse, value: unknown): unknown {
  switch (kind) {
    case "date":
      return typeof value === "string" ? (parseDate(value) ?? value) : value;
    case "bigint":
      return parseBigint(value);
    case "set":
      return Array.isArray(value) ? new Set(value) : value;
    case "map":
      return Array.isArray(value) && value.every(isPair) ? new Map(value) : value;
    case "map-object":
      return isPlain(value) ? new Map(Object.entries(value)) : value;
    case "absent":
      return value === null ? undefined : value;
  }
}

function isPair(value: unknown): value is [unknown, unknown] {
  return Array.isArray(value) && value.length === 2;
}

const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Without an offset the time is UTC: what a text means must not depend on where the host stands. */
function parseDate(text: string): Date | undefined {
  const [, day, time = "00:00", offset = "Z"] = DATE.exec(text) ?? [];
  if (day === undefined) return undefined;
  const midnight = new Date(`${day}T00:00Z`);
  // JavaScript reads 30 February as 1 March
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return undefined;
  const date = new Date(`${day}T${time}${offset.toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, "$1:$2")}`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Longest text that is read as a bigint: reading takes more than linear time. */
const MAX_DIGITS = 10_000;

/** An unsafe integer has lost digits already and is left for the check to refuse. */
function parseBigint(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  return typeof value === "string" && value.length <= MAX_DIGITS && /^-?\d+$/.test(value) ? BigInt(value) : value;
}
