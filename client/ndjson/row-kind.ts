import type { ClineMessage } from "../../machines/message/index.ts";
import type { JsonEvent } from "../../wire/index.ts";

/** How a row is told: what a piece of it looks like, and what it is as a whole. */
export interface RowKind {
  /** Undefined for rows that are told whole only. */
  readonly piece?: (row: ClineMessage, delta: string) => JsonEvent;
  /** Undefined where the whole row says nothing. */
  readonly whole: (row: ClineMessage) => JsonEvent | undefined;
}

/** Rows that are told otherwise, or to nobody. */
const UNTOLD: ReadonlySet<string> = new Set([
  "completion_result",
  "command_output",
  "api_req_started",
  "api_req_finished",
  "api_req_retried",
  "api_req_retry_delayed",
  "api_req_rate_limit_wait",
  "api_req_deleted",
  "checkpoint_saved",
  "condense_context",
  "condense_context_error",
  "sliding_window_truncation",
]);

/** Words under a type, perhaps with a subtype: in pieces, then whole. */
function wordsOf(type: JsonEvent["type"], subtype?: string): RowKind {
  const base = { type, ...(subtype !== undefined && { subtype }) };
  return {
    piece: ({ ts }, content) => ({ ...base, id: ts, content }),
    whole: ({ ts, text }) => ({ ...base, id: ts, content: text ?? "", done: true }),
  };
}

const PROMPT: RowKind = wordsOf("user");
const ASSISTANT = wordsOf("assistant");

const SAYS: ReadonlyMap<string, RowKind> = new Map([
  ["text", ASSISTANT],
  ["reasoning", wordsOf("thinking")],
  ["user_feedback", wordsOf("user")],
  ["user_feedback_diff", wordsOf("user")],
  ["error", { whole: ({ ts, text }) => ({ type: "error", id: ts, content: text ?? "" }) }],
  [
    "mcp_server_response",
    {
      whole: ({ text }) => ({
        type: "tool_result",
        subtype: "mcp",
        tool_result: { name: "mcp_server", output: text ?? "" },
      }),
    },
  ],
]);

const TOOL: RowKind = {
  piece: ({ ts, text }, content) => ({
    type: "tool_use",
    subtype: "tool",
    id: ts,
    content,
    tool_use: { name: toolNameIn(text ?? "") },
  }),
  whole: (row) => toolUse(row, "tool", calledTool(row)),
};

const COMMAND: RowKind = {
  piece: ({ ts }, delta) => ({
    type: "tool_use",
    subtype: "command",
    id: ts,
    content: delta,
    tool_use: { name: "execute_command", input: { command: delta } },
  }),
  whole: (row) => ({
    ...toolUse(row, "command", { name: "execute_command", input: { command: row.text ?? "" } }),
    content: row.text ?? "",
  }),
};

const MCP: RowKind = {
  piece: ({ ts }, content) => ({
    type: "tool_use",
    subtype: "mcp",
    id: ts,
    content,
    tool_use: { name: "mcp_server" },
  }),
  whole: (row) => toolUse(row, "mcp", { name: "mcp_server", input: { raw: row.text ?? "" } }),
};

const CALLS: ReadonlyMap<string, RowKind> = new Map([
  ["tool", TOOL],
  ["command", COMMAND],
  ["use_mcp_server", MCP],
]);

/** How this row is told; undefined where it is not, or by other means. */
export function kindOf(row: ClineMessage, isPrompt: boolean): RowKind | undefined {
  const { type, ask, say } = row;
  if (type === "ask") {
    if (ask === undefined || ask === "command_output" || ask === "completion_result") return undefined;
    return CALLS.get(ask) ?? asked(ask);
  }
  if (say === undefined || UNTOLD.has(say)) return undefined;
  if (say === "text" && isPrompt) return PROMPT;
  return SAYS.get(say) ?? said(say);
}

/** Any other row of the agent's, if it has words. */
function said(say: string): RowKind {
  const words = wordsOf("assistant", say);
  return { ...words, whole: (row) => (row.text ? words.whole(row) : undefined) };
}

/** Any other ask. One without words is told as long as it is open: how else would a client know what to answer? */
function asked(ask: string): RowKind {
  const words = wordsOf("assistant", ask);
  const whole = (row: ClineMessage): JsonEvent | undefined => {
    if (row.text) return words.whole(row);
    return row.closing === undefined
      ? { type: "assistant", subtype: ask, id: row.ts, done: true }
      : undefined;
  };
  return { ...words, whole };
}

/** A call that was withdrawn never came whole, or never will be run: it has no input. */
function toolUse(
  { ts, closing }: ClineMessage,
  subtype: string,
  { name, input }: NonNullable<JsonEvent["tool_use"]>,
): JsonEvent {
  const use = closing === "withdrawn" ? { name } : { name, input };
  return { type: "tool_use", subtype, id: ts, tool_use: use, done: true };
}

function calledTool({ text }: ClineMessage): NonNullable<JsonEvent["tool_use"]> {
  const input = jsonOf(text ?? "");
  const isNamed = typeof input === "object" && input !== null && "tool" in input;
  const name = isNamed && typeof input.tool === "string" ? input.tool : "tool";
  return { name, input: input ?? { raw: text ?? "" } };
}

/** A descriptor that still grows is no JSON yet; its name stands first. */
function toolNameIn(text: string): string {
  return /^\s*\{\s*"tool"\s*:\s*"([^"\\]*)"/.exec(text)?.[1] ?? "tool";
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
