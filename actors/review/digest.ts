import { createHash } from "node:crypto";
import type { Input } from "../../machines/tool-call/index.ts";

/**
 * What a decision is bound to (L7): SHA-256, in hexadecimal, of the canonical JSON of a call's canonical name
 * and its arguments. Canonical: keys sorted, no white space.
 *
 * @throws RangeError for arguments that are nested too deeply to be walked
 */
export function digestOf(name: string, input: Input): string {
  return createHash("sha256").update(canonical({ name, input })).digest("hex");
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
