import { signatureFits } from "../script/block-schema.ts";
import type { ScriptedBlocks } from "../script/scripted-blocks.ts";
import { invalidRequest } from "./api-error.ts";
import { validateCacheMarks } from "./cache-marks.ts";
import type { MessagesRequest, RequestBlock, RequestMessage, RequestTurn } from "./request.ts";
import { validateServerBlocks, validateServerPairs } from "./server-tools.ts";
import { validateTools } from "./tools.ts";

/** The beta that lets a model think between tool calls, with a budget for the whole turn. */
const INTERLEAVED = "interleaved-thinking-2025-05-14";

/**
 * Reject what the real API rejects: unpaired tool calls and results, empty text, modified thinking.
 *
 * @param scripted the blocks that the server may have sent
 * @param betas the betas that the request's header names
 * @throws ApiError 400 that names the message and the block
 */
export function validateRequest(
  request: MessagesRequest,
  scripted: ScriptedBlocks,
  betas: ReadonlySet<string>,
): void {
  const { messages } = request;
  if (messages.length === 0) throw invalidRequest("messages: at least one message is required");
  if (messages[0]?.role === "assistant") {
    throw invalidRequest('messages: first message must use the "user" role');
  }
  for (const [index, message] of messages.entries()) {
    validateMessage(message, index, index === messages.length - 1);
  }
  validateServerBlocks(messages, scripted);
  const turns = merged(messages);
  validatePairs(turns);
  validateServerPairs(turns);
  validateCacheMarks(request);
  validateTools(request, betas);
  validateBudget(request, betas);
}

function validateMessage({ role, content }: RequestMessage, index: number, isLast: boolean): void {
  if (content.length === 0 && !(isLast && role === "assistant")) {
    throw invalidRequest(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  for (const [place, block] of content.entries()) {
    const at = `messages.${index}.content.${place}`;
    if (block.type === "text" && block.text === "") {
      throw invalidRequest(`${at}: text content blocks must be non-empty`);
    }
    if (block.type === "tool_use" && role !== "assistant") {
      throw invalidRequest(`${at}: \`tool_use\` blocks can only be in \`assistant\` messages`);
    }
    if (block.type === "tool_result" && role !== "user") {
      throw invalidRequest(`${at}: \`tool_result\` blocks can only be in \`user\` messages`);
    }
    if (block.type === "thinking" && !signatureFits(block.signature, block.thinking)) {
      throw invalidRequest(`${at}: Invalid \`signature\` in \`thinking\` block`);
    }
  }
  const last = content.at(-1);
  if (isLast && role === "assistant" && last?.type === "text" && last.text !== last.text.trimEnd()) {
    throw invalidRequest("messages: final assistant content cannot end with trailing whitespace");
  }
}

/** Merge consecutive messages of one role, like the API. */
function merged(messages: readonly RequestMessage[]): readonly RequestTurn[] {
  const turns: (RequestTurn & { readonly content: RequestBlock[] })[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    if (role === "system") continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, index, content: [...content] });
  }
  return turns;
}

function validatePairs(turns: readonly RequestTurn[]): void {
  const seen = new Set<string>();
  for (const [n, turn] of turns.entries()) {
    const calls = idsOf(turn.content, "tool_use");
    for (const id of calls) {
      if (seen.has(id))
        throw invalidRequest(`messages.${turn.index}: \`tool_use\` ids must be unique: ${id}`);
      seen.add(id);
    }
    if (turn.role === "assistant") validateAnswered(calls, turns[n + 1], turn.index);
    else validateResults(turn, n === 0 ? [] : idsOf(turns[n - 1]?.content ?? [], "tool_use"));
  }
}

function validateAnswered(calls: readonly string[], next: RequestTurn | undefined, index: number): void {
  const content = next?.content ?? [];
  const firstOther = content.findIndex(({ type }) => type !== "tool_result");
  const results = new Set(idsOf(firstOther < 0 ? content : content.slice(0, firstOther), "tool_result"));
  const open = calls.filter((id) => !results.has(id));
  if (open.length === 0) return;
  throw invalidRequest(
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message, before any other block.`,
  );
}

function validateResults(turn: RequestTurn, calls: readonly string[]): void {
  const seen = new Set<string>();
  for (const id of idsOf(turn.content, "tool_result")) {
    if (!calls.includes(id)) {
      throw invalidRequest(
        `messages.${turn.index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (seen.has(id)) {
      throw invalidRequest(
        `messages.${turn.index}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    seen.add(id);
  }
}

function idsOf(content: readonly RequestBlock[], type: "tool_use" | "tool_result"): string[] {
  return content.flatMap((block) => {
    if (block.type !== type) return [];
    return [block.type === "tool_use" ? block.id : block.tool_use_id];
  });
}

function validateBudget({ thinking, max_tokens }: MessagesRequest, betas: ReadonlySet<string>): void {
  if (thinking?.type !== "enabled" || max_tokens === undefined || betas.has(INTERLEAVED)) return;
  if (max_tokens <= thinking.budget_tokens)
    throw invalidRequest("`max_tokens` must be greater than `thinking.budget_tokens`");
}
