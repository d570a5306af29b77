import type { Input } from "../machines/tool-call/index.ts";
import { cutEnd } from "./text.ts";

/** The most bytes of a partial row's text. */
export const PARTIAL_MAX_BYTES = 8 * 1024;
/** The most bytes of a complete row's descriptor; what is longer is cut, with a mark. */
export const DESCRIPTOR_MAX_BYTES = 128 * 1024;
/** The most bytes of a field that isn't the content. */
const FIELD_MAX_BYTES = 1024;

type Field = string | number | boolean | undefined | readonly object[] | Readonly<Record<string, number>>;

/** A row's descriptor: which tool, and what a person should know of the call. */
export interface Descriptor {
  readonly tool: string;
  readonly [field: string]: Field;
}

/**
 * The JSON text of a row's descriptor, at most `maxBytes` long. Its `content`, `diff` and lists are cut at
 * their end as far as is needed, other texts at 1 KB. Texts get a mark; a list that was cut gets `cut: true`.
 */
export function boundedDescriptor(fields: Descriptor, maxBytes: number = DESCRIPTOR_MAX_BYTES): string {
  let text = JSON.stringify(fields);
  // How much longer JSON is than its texts, only the texts know: so shrink until it fits.
  for (let share = 1; Buffer.byteLength(text) > maxBytes && share > 0.001; share *= 0.8) {
    text = JSON.stringify(shrink(fields, share, maxBytes));
  }
  return text;
}

function shrink(fields: Descriptor, share: number, maxBytes: number): Record<string, Field> {
  const shrunk: Record<string, Field> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (isList(value)) {
      shrunk[key] = value.slice(0, Math.floor((share * maxBytes) / 128));
      shrunk.cut = true;
    } else if (typeof value === "string") {
      const long = key === "content" || key === "diff";
      shrunk[key] = cutEnd(value, long ? Math.floor(share * maxBytes) : Math.floor(share * FIELD_MAX_BYTES));
    } else {
      shrunk[key] = value;
    }
  }
  return shrunk;
}

function isList(value: Field): value is readonly object[] {
  return Array.isArray(value);
}

/** An argument that has come as a text, at least in part. */
export function textOf(input: Input, key: string): string | undefined {
  const value = input[key];
  return typeof value === "string" ? value : undefined;
}
