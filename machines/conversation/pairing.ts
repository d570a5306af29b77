import { isBlank, textBlock } from "./blocks.ts";
import type { AssistantBlock, ImageBlock, TextBlock, ToolResultBlock, UserBlock } from "./entry.ts";
import { emptyResult } from "./notices.ts";

/** How a call ended: `kind` says whether it is an error, `content` is what the model gets. */
export interface CallOutcome {
  /** Everything is an error but `done`, and `denied`, which is a person's or a rule's decision. */
  readonly kind: string;
  readonly content: readonly (TextBlock | ImageBlock)[];
}

const NO_ERRORS: ReadonlySet<string> = new Set(["done", "denied"]);

/**
 * The results of an answer's tool calls: one for each, in the order of the calls (L6). They belong at the
 * head of the next user entry. A call without an outcome gets `missingText` as an error; an outcome of a call
 * that the answer lacks is left out; blocks that the API would refuse as empty are left out too, and where
 * nothing remains, the result says that there was none.
 *
 * @param answer The content of the assistant's entry.
 * @param outcomes By the id of the `tool_use`.
 */
export function pairResults(
  answer: readonly (AssistantBlock | UserBlock)[],
  outcomes: ReadonlyMap<string, CallOutcome>,
  missingText: string,
): ToolResultBlock[] {
  const missing: CallOutcome = { kind: "missing", content: [textBlock(missingText)] };
  return answer
    .filter((block) => block.type === "tool_use")
    .map(({ id }) => {
      const { kind, content } = outcomes.get(id) ?? missing;
      const result: ToolResultBlock = { type: "tool_result", tool_use_id: id, content: readable(content) };
      return NO_ERRORS.has(kind) ? result : { ...result, is_error: true };
    });
}

function readable(content: CallOutcome["content"]): CallOutcome["content"] {
  const kept = content.filter((block) => block.type !== "text" || !isBlank(block.text));
  return kept.length > 0 ? kept : [textBlock(emptyResult())];
}
