import { createHash } from "node:crypto";
import type { Input } from "../../machines/tool-call/call.ts";

/**
 * The digest that a decision is bound to (L7): hexadecimal SHA-256 of the canonical JSON (sorted keys, no white space)
 * of the tool's canonical name, the arguments, and the definition of a tool that another party defines.
 *
 * @throws RangeError if the arguments are nested too deeply
 */
export function digestOf(name: string, input: Input, definition?: string): string {
  return createHash("sha256").update(canonical({ name, input, definition })).digest("hex");
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`);
  return `{${fields.join(",")}}`;
}
