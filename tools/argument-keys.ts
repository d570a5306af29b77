import { createHash } from "node:crypto";
import type { Input } from "../machines/tool-call/call.ts";

type Schema = Readonly<Record<string, unknown>>;

/** A schema whose keys every endpoint accepts, and the way back. */
export interface ArgumentKeys {
  readonly schema: Schema;
  /** The arguments with the keys of the original schema. */
  readonly original: (input: Input) => Input;
}

/** The keys of arguments that endpoints accept. A request with another one is rejected as a whole. */
const ACCEPTED = /^[a-zA-Z0-9_.-]{1,64}$/;
/** Characters that a replaced key keeps. */
const KEPT_CHARS = 48;
const DIGEST_CHARS = 8;
/** Characters of a key that a description repeats. */
const SHOWN_CHARS = 200;

/** The keywords whose keys are names of arguments, and those whose keys are other names. */
const NAMED_BY_ARGUMENTS: ReadonlySet<string> = new Set([
  "properties",
  "dependentSchemas",
  "dependentRequired",
]);
const NAMED_OTHERWISE: ReadonlySet<string> = new Set(["patternProperties", "$defs", "definitions"]);
/** The keywords that have values of arguments. */
const VALUES: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"]);

/**
 * Replace the keys of arguments that endpoints reject, such as `filter[status]`, at every depth. A replaced key has a part
 * of the digest of the original one, so that no two keys become the same.
 */
export function argumentKeys(schema: Schema): ArgumentKeys {
  const originals = new Map<string, string>();
  const replaced = (key: string): string => {
    if (ACCEPTED.test(key)) return key;
    const digest = createHash("sha256").update(key).digest("hex").slice(0, DIGEST_CHARS);
    const name = `${key.replaceAll(/[^a-zA-Z0-9_.-]+/g, "_").slice(0, KEPT_CHARS)}_${digest}`;
    originals.set(name, key);
    return name;
  };
  const renamed = new SchemaKeys(replaced).schema(schema);
  if (originals.size === 0 || !isRecord(renamed)) return { schema, original: (input) => input };
  const back = (key: string): string => originals.get(key) ?? key;
  return { schema: renamed, original: (input) => recordWith(input, back, (value) => valueWith(value, back)) };
}

class SchemaKeys {
  readonly #name: (key: string) => string;

  constructor(name: (key: string) => string) {
    this.#name = name;
  }

  readonly schema = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(this.schema);
    if (!isRecord(schema)) return schema;
    const fields = Object.entries(schema).map(([keyword, value]) => [keyword, this.#keyword(keyword, value)]);
    return Object.fromEntries(fields);
  };

  #keyword(keyword: string, value: unknown): unknown {
    if (keyword === "required") return this.#names(value);
    if (keyword === "$ref") return typeof value === "string" ? this.#pointer(value) : value;
    if (VALUES.has(keyword)) return valueWith(value, this.#name);
    if (NAMED_BY_ARGUMENTS.has(keyword) && isRecord(value))
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => this.#argument(keyword, key, each)),
      );
    if (NAMED_OTHERWISE.has(keyword) && isRecord(value)) return recordWith(value, (key) => key, this.schema);
    return this.schema(value);
  }

  #argument(keyword: string, key: string, value: unknown): [string, unknown] {
    const name = this.#name(key);
    if (keyword === "dependentRequired") return [name, this.#names(value)];
    const schema = this.schema(value);
    if (name === key || keyword !== "properties" || !isRecord(schema)) return [name, schema];
    const { description } = schema;
    const called = `Called ${JSON.stringify(key.slice(0, SHOWN_CHARS).toWellFormed())}.`;
    return [
      name,
      { ...schema, description: typeof description === "string" ? `${called} ${description}` : called },
    ];
  }

  #names(value: unknown): unknown {
    return Array.isArray(value)
      ? value.map((key) => (typeof key === "string" ? this.#name(key) : key))
      : value;
  }

  /** A reference into the schema has the names of arguments after `properties`. */
  #pointer(reference: string): string {
    if (!reference.startsWith("#/")) return reference;
    const parts = reference.split("/");
    return parts
      .map((part, index) => {
        if (!NAMED_BY_ARGUMENTS.has(parts[index - 1] ?? "")) return part;
        const key = decoded(part);
        const name = this.#name(key);
        return name === key ? part : name;
      })
      .join("/");
  }
}

/** A part of a JSON pointer in a URI. */
function decoded(part: string): string {
  const text = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function valueWith(value: unknown, name: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => valueWith(each, name));
  return isRecord(value) ? recordWith(value, name, (each) => valueWith(each, name)) : value;
}

/** `fromEntries` also sets a key `__proto__` as a field of its own. */
const recordWith = (
  record: Schema,
  name: (key: string) => string,
  value: (value: unknown) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).map(([key, each]) => [name(key), value(each)]));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
