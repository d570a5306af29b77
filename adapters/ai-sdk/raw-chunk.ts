import { isJson } from "./metadata.ts";

/**
 * The number of characters of arguments in a raw chunk of Chat Completions, without white space; 0 for any other chunk.
 * Packages of providers leave out pieces that they can't assign to a call, without a word.
 */
export function argumentsInChunk(chunk: unknown): number {
  let count = 0;
  for (const choice of listIn(chunk, "choices"))
    for (const call of listIn(fieldIn(choice, "delta"), "tool_calls")) {
      const json = fieldIn(fieldIn(call, "function"), "arguments");
      if (typeof json === "string") count += visibleLength(json);
    }
  return count;
}

/** The length of JSON without white space. */
export const visibleLength = (json: string): number => json.replace(/\s+/g, "").length;

const fieldIn = (value: unknown, name: string): unknown => (isJson(value) ? value[name] : undefined);

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = fieldIn(value, name);
  return Array.isArray(list) ? list : [];
}
