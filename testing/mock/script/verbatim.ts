import { isRecord } from "./fields.ts";
import type { Block, JsonObject, TypedObject } from "./script.ts";

/**
 * The block that a script gives as JSON. Without deltas of its own its input is streamed as the API streams it: `{}` at the
 * start, then deltas of JSON.
 */
export function verbatimBlock(
  block: TypedObject,
  deltas: readonly TypedObject[] | undefined,
): Extract<Block, { kind: "verbatim" }> {
  if (deltas !== undefined)
    return { kind: "verbatim", start: block, deltas, json: "", content: applyDeltas(block, deltas) };
  const { input } = block;
  const isStreamed = isRecord(input) && Object.keys(input).length > 0;
  return {
    kind: "verbatim",
    start: isStreamed ? { ...block, input: {} } : block,
    deltas: [],
    json: isStreamed ? JSON.stringify(input) : "",
    content: block,
  };
}

/** The fields that the deltas of a type append to, by the field of the delta. */
const APPENDED = new Map<string, string>([
  ["text_delta", "text"],
  ["thinking_delta", "thinking"],
  ["signature_delta", "signature"],
  ["compaction_delta", "content"],
]);

/** The block that a client has after these deltas. Deltas of other types change nothing. */
function applyDeltas(block: TypedObject, deltas: readonly TypedObject[]): TypedObject {
  let content = block;
  let json = "";
  for (const delta of deltas) {
    const field = APPENDED.get(delta.type);
    if (field !== undefined) content = { ...content, [field]: textAt(content, field) + textAt(delta, field) };
    if (delta.type === "input_json_delta") json += textAt(delta, "partial_json");
    if (delta.type === "citations_delta")
      content = {
        ...content,
        citations: [...(Array.isArray(content.citations) ? content.citations : []), delta.citation],
      };
  }
  return json === "" ? content : { ...content, input: parsedOrEmpty(json) };
}

function textAt(value: JsonObject, field: string): string {
  const text = value[field];
  return typeof text === "string" ? text : "";
}

/** The arguments in a message that is not streamed: `{}` if they are not JSON. */
export function parsedOrEmpty(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}
