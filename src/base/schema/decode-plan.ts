import type { Schema as CheckerSchema } from "@cfworker/json-schema";
import type { JsonSchema } from "../json.js";
import type { LinkedSchema, Subschema } from "./json-schema.js";
import { mayBeAbsent, PARSE, type Parse, RAW, REFUSED } from "./schema-marks.js";

/**
 * The check that comes after the decoding. A Standard Schema fills in its own defaults, may have marks, and may read a property called `constructor`
 * from the prototype; a JSON Schema does none of these.
 */
export type CheckKind = "standard" | "json-schema";

/** A schema as the decoder reads it. */
export interface Node {
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
  /** Where null at the end of a list stands for a shorter list. Set once the whole schema is read. */
  prefixDropsNull: readonly boolean[];
  readonly items: Node | undefined;
  /** Whether something here or below may have to change. Set once the whole schema is read. */
  active: boolean;
}

/** A declared property of an object. */
export interface Property {
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

/** Keywords that are either read into the plan or say nothing about a value. */
const NOT_SELF = new Set(
  (
    "$ref $defs definitions $id $schema $anchor $comment title description default examples deprecated readOnly writeOnly allOf anyOf oneOf " +
    "properties patternProperties additionalProperties unevaluatedProperties prefixItems items additionalItems unevaluatedItems"
  ).split(" "),
);

/** Reads a linked schema into nodes, one for each schema. */
export class PlanReader {
  readonly #linked: LinkedSchema;
  readonly #check: CheckKind;
  readonly #nodes = { parsed: new Map<JsonSchema, Node>(), raw: new Map<JsonSchema, Node>() };
  constructor(linked: LinkedSchema, check: CheckKind) {
    this.#linked = linked;
    this.#check = check;
  }

  read(schema: Subschema, parentIsRaw: boolean): Node {
    if (typeof schema === "boolean") return emptyNode(schema);
    const raw = parentIsRaw || schema[RAW] === true;
    const known = this.#nodes[raw ? "raw" : "parsed"];
    const found = known.get(schema);
    if (found !== undefined) return found;
    const self: Record<string, unknown> = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !NOT_SELF.has(keyword)));
    const node = emptyNode(schema[REFUSED] === undefined || raw ? self : false);
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
      parse: this.#parseOf(schema, raw),
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

  #parseOf(schema: JsonSchema, raw: boolean): Parse | undefined {
    const parse = schema[PARSE] as Parse | undefined;
    return this.#check === "standard" && (!raw || parse === "absent") ? parse : undefined;
  }

  #readProperty(owner: JsonSchema, name: string, schema: Subschema, raw: boolean): Property {
    const listed = ((owner["required"] as readonly string[] | undefined) ?? []).includes(name);
    const fallback = typeof schema === "object" ? schema["default"] : undefined;
    return {
      name,
      node: this.read(schema, raw),
      required: listed && fallback === undefined && !mayBeAbsent(schema),
      fallback: this.#check === "json-schema" ? fallback : undefined,
      fillsUndefined: mayBeAbsent(schema) && listed,
      hidesInherited: this.#check === "standard" && name in Object.prototype,
      dropsNull: false,
    };
  }

  /** Settles what could not be known before every part was read. Returns all nodes. */
  finish(): Node[] {
    const nodes = [...this.#nodes.parsed.values(), ...this.#nodes.raw.values()];
    for (const node of nodes) {
      const least = typeof node.self === "object" ? (node.self.minItems ?? 0) : 0;
      node.prefixDropsNull = node.prefix.map((part, index) => index >= least && !this.#acceptsNull(part, new Set()));
    }
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

function emptyNode(self: CheckerSchema | boolean): Node {
  const none = { all: [], unions: [], properties: [], names: new Set<string>(), patterns: [], prefix: [], prefixDropsNull: [] };
  return { self, parse: undefined, ...none, others: undefined, items: undefined, active: false };
}

function fixedFirst(left: Property, right: Property): number {
  return Number(isFixed(right.node)) - Number(isFixed(left.node));
}

/** Whether a schema allows a list of values only. */
export function isFixed(node: Node): boolean {
  return typeof node.self === "object" && (node.self.const !== undefined || node.self.enum !== undefined);
}

function changesItself(node: Node): boolean {
  return (
    node.parse !== undefined ||
    node.prefixDropsNull.includes(true) ||
    node.properties.some((property) => property.dropsNull || changesWithoutNull(property))
  );
}

function partsOf(node: Node): Node[] {
  const maybe = [node.others, node.items].filter((part) => part !== undefined);
  const inObject = [...node.properties, ...node.patterns].map((part) => part.node);
  return [...node.all, ...node.unions.flat(), ...inObject, ...node.prefix, ...maybe];
}

/** Whether a property may change although no null came. */
export function changesWithoutNull(property: Property): boolean {
  return property.fallback !== undefined || property.fillsUndefined || property.hidesInherited;
}
