import { isBlank, textBlock } from "./blocks.ts";
import type { AssistantBlock, ImageBlock, TextBlock, ToolResultBlock, UserBlock } from "./entry.ts";
import { emptyResult } from "./notices.ts";

/** Outcome of a tool call: `kind` determines whether it is an error, `content` is for the model. */
export interface CallOutcome {
  /** `done` and `denied` (a decision of a person or a rule) are not errors; all others are. */
  readonly kind: string;
  readonly content: readonly (TextBlock | ImageBlock)[];
}

const NO_ERRORS: ReadonlySet<string> = new Set(["done", "denied"]);

/**
 * Create the results of a response's tool calls: one for each call, in their order (L6), for the start of the next user
 * entry. A call without an outcome gets `missingText` as an error. Outcomes of other calls and blank texts are left out;
 * an empty result gets a notice.
 *
 * @param response content of the assistant entry
 * @param outcomes by the id of the `tool_use`
 */
export function pairResults(
  response: readonly (AssistantBlock | UserBlock)[],
  outcomes: ReadonlyMap<string, CallOutcome>,
  missingText: string,
): ToolResultBlock[] {
  const missing: CallOutcome = { kind: "missing", content: [textBlock(missingText)] };
  return response
    .filter((block) => block.type === "tool_use")
    .map(({ id }) => {
      const { kind, content } = outcomes.get(id) ?? missing;
      const result: ToolResultBlock = {
        type: "tool_result",
        tool_use_id: id,
        content: withoutBlank(content),
      };
      return NO_ERRORS.has(kind) ? result : { ...result, is_error: true };
    });
}

function withoutBlank(content: CallOutcome["content"]): CallOutcome["content"] {
  const kept = content.filter((block) => block.type !== "text" || !isBlank(block.text));
  return kept.length > 0 ? kept : [textBlock(emptyResult())];
}
