import type { ScriptedBlocks } from "../script/scripted-blocks.ts";
import { invalidRequest } from "./api-error.ts";
import { type RequestBlock, type RequestMessage, type RequestTurn, SERVER_TOOL_RESULTS } from "./request.ts";

/** Types of blocks in requests that are not validated further. */
const OTHER_TYPES = new Set(["image", "document", "search_result", "container_upload"]);

/**
 * Reject blocks of server tools that the script has with other content, and blocks that neither the API nor the script
 * knows.
 *
 * @throws ApiError 400
 */
export function validateServerBlocks(messages: readonly RequestMessage[], scripted: ScriptedBlocks): void {
  for (const [index, { role, content }] of messages.entries())
    for (const [place, block] of content.entries())
      if (isServerBlock(block))
        validateServerBlock(block, role, scripted, `messages.${index}.content.${place}`);
}

type ServerBlock = Extract<RequestBlock, { type: "server_tool_use" | "server_tool_result" | "other" }>;

function isServerBlock(block: RequestBlock): block is ServerBlock {
  return block.type === "server_tool_use" || block.type === "server_tool_result" || block.type === "other";
}

function validateServerBlock(block: ServerBlock, role: string, scripted: ScriptedBlocks, at: string): void {
  const raw = block.type === "server_tool_use" ? block : block.raw;
  const comparison = scripted.compare(raw);
  if (comparison === "changed")
    throw invalidRequest(`${at}: \`${raw.type}\` block was modified: it must be returned as it was received`);
  if (block.type === "server_tool_use" && !SERVER_TOOL_RESULTS.has(block.name))
    throw invalidRequest(
      `${at}.name: Input should be ${[...SERVER_TOOL_RESULTS.keys()].map(quoted).join(", ")}`,
    );
  if (comparison === "unknown" && block.type === "other" && !OTHER_TYPES.has(raw.type))
    throw invalidRequest(
      `${at}: Input tag '${raw.type}' found using 'type' does not match any of the expected tags`,
    );
  if (role !== "assistant" && block.type !== "other")
    throw invalidRequest(`${at}: \`${raw.type}\` blocks can only be in \`assistant\` messages`);
}

const quoted = (name: string) => `'${name}'`;

interface Pending {
  readonly name: string;
  readonly index: number;
}

/**
 * Reject results of server tools without a use, and uses without a result: the result follows in the same turn, after a
 * pause in its continuation, or, beside tool calls, in the next turn.
 *
 * @throws ApiError 400
 */
export function validateServerPairs(turns: readonly RequestTurn[]): void {
  const pending = new Map<string, Pending>();
  for (const [n, { role, index, content }] of turns.entries()) {
    if (role !== "assistant") continue;
    for (const block of content) {
      if (block.type === "server_tool_use") openUse(block, pending, index);
      if (block.type === "server_tool_result") closeUse(block, pending, index);
    }
    const mayContinue = n === turns.length - 1 || content.some(({ type }) => type === "tool_use");
    const [open] = mayContinue ? [] : pending;
    if (open !== undefined) throw withoutResult(...open);
  }
}

function openUse(
  { id, name }: { id: string; name: string },
  pending: Map<string, Pending>,
  index: number,
): void {
  if (pending.has(id))
    throw invalidRequest(`messages.${index}: \`server_tool_use\` ids must be unique: ${id}`);
  pending.set(id, { name, index });
}

function closeUse(
  { toolUseId, raw }: Extract<RequestBlock, { type: "server_tool_result" }>,
  pending: Map<string, Pending>,
  index: number,
): void {
  const use = pending.get(toolUseId);
  if (use === undefined || SERVER_TOOL_RESULTS.get(use.name) !== raw.type)
    throw invalidRequest(
      `messages.${index}: unexpected \`tool_use_id\` found in \`${raw.type}\` blocks: ${toolUseId}. Each \`${raw.type}\` block must have a corresponding \`server_tool_use\` block before it.`,
    );
  pending.delete(toolUseId);
}

function withoutResult(id: string, { name, index }: Pending) {
  return invalidRequest(
    `messages.${index}: \`${name}\` tool use with id \`${id}\` was found without a corresponding \`${SERVER_TOOL_RESULTS.get(name)}\` block`,
  );
}
