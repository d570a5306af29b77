import type { Input } from "../machines/tool-call/call.ts";
import { cutEnd } from "./text.ts";

/** Maximum bytes of a partial message's text. */
export const PARTIAL_MAX_BYTES = 8 * 1024;
/** Maximum bytes of a complete message's descriptor. */
export const DESCRIPTOR_MAX_BYTES = 128 * 1024;
/** Maximum bytes of a field other than `content` and `diff`. */
const FIELD_MAX_BYTES = 1024;

type Field = string | number | boolean | undefined | readonly object[] | Readonly<Record<string, number>>;

/** Descriptor of a tool call, the JSON text of its message. The descriptor of a call of an MCP server has a `type`. */
export type Descriptor = ({ readonly tool: string } | { readonly type: string }) & {
  readonly [field: string]: Field;
};

/**
 * Format a descriptor as JSON of at most `maxBytes`. If it is too long, `content`, `diff`, `arguments` and lists are cut at their end
 * as far as needed, other texts at 1 KB. A cut text gets a mark, a cut list `cut: true`.
 */
export function boundedDescriptor(fields: Descriptor, maxBytes: number = DESCRIPTOR_MAX_BYTES): string {
  let text = JSON.stringify(fields);
  // The overhead of JSON escapes depends on the texts, so shrink until it fits.
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
      const long = key === "content" || key === "diff" || key === "arguments";
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

/** A string argument, perhaps partial. */
export function textOf(input: Input, key: string): string | undefined {
  const value = input[key];
  return typeof value === "string" ? value : undefined;
}
