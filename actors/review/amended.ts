import type { AmendableCall } from "../../machines/task/task.setup.ts";
import type { Amendment } from "../../machines/tool-call/call.ts";
import { formatError, ToolError } from "../../tools/error.ts";
import { finalCall } from "../../tools/final-call.ts";
import type { Registry } from "../../tools/registry.ts";
import { digestOf } from "./digest.ts";

/** An amendment as it is recorded, with the digest of the arguments that it makes; or why the call does not take it. */
export type AmendedArguments =
  | { readonly ok: true; readonly amendment: Amendment; readonly digest: string }
  | { readonly ok: false; readonly error: string };

/** Maximum bytes of an amendment as JSON. */
const AMENDMENT_MAX_BYTES = 1_000_000;

/** Check the amendment of a call: its form, its size, and whether the tool takes it. Never throws. */
export function amendedArguments(
  registry: Registry,
  { name, input, base }: AmendableCall,
  given: unknown,
): AmendedArguments {
  try {
    const tool = registry.find(name);
    if (tool === undefined) return refused(`the tool ${name} is gone.`);
    const value = copyOf(given);
    if (!isObject(value)) return refused("expected a JSON object.");
    const amendment = { ...(base !== undefined && { base }), ...value };
    const prepared = finalCall(tool, { input, amendment });
    if (!prepared.ok) return refused(prepared.error);
    const { input: final, definition } = prepared.call;
    return { ok: true, amendment, digest: digestOf(tool.name, final, definition) };
  } catch (error) {
    return refused(formatError(error));
  }
}

/** A copy of a JSON value within the limit. */
function copyOf(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "null";
  const size = Buffer.byteLength(text);
  if (size > AMENDMENT_MAX_BYTES)
    throw new ToolError(
      "TOO_LARGE",
      `expected at most ${AMENDMENT_MAX_BYTES} bytes of JSON, received ${size}.`,
    );
  return JSON.parse(text);
}

const isObject = (value: unknown): value is Amendment =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const refused = (error: string): AmendedArguments => ({ ok: false, error: error.slice(0, 1_000) });
