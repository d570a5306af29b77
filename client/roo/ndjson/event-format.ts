import { endErrorOf } from "../../../machines/message/end-error.ts";
import { parseJson } from "../../../machines/message/json.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { JsonEvent } from "../../../wire/ndjson/event.ts";

/** Format of a message as events: of its deltas, and of the complete message. */
export interface EventFormat {
  /** Undefined for messages that are emitted only when complete. */
  readonly delta?: (message: ClineMessage, delta: string) => JsonEvent;
  /** Undefined where the complete message has no event. */
  readonly complete: (message: ClineMessage) => JsonEvent | undefined;
}

/** Messages that are emitted in other ways, or not at all. */
const NOT_EMITTED: ReadonlySet<string> = new Set([
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

/** Text with a type and an optional subtype: deltas, then the complete text. */
function textFormat(type: JsonEvent["type"], subtype?: string): EventFormat {
  const base = { type, ...(subtype !== undefined && { subtype }) };
  return {
    delta: ({ ts }, content) => ({ ...base, id: ts, content }),
    complete: ({ ts, text }) => ({ ...base, id: ts, content: text ?? "", done: true }),
  };
}

const PROMPT: EventFormat = textFormat("user");
const ASSISTANT = textFormat("assistant");

const SAYS: ReadonlyMap<string, EventFormat> = new Map([
  ["text", ASSISTANT],
  ["reasoning", textFormat("thinking")],
  ["user_feedback", textFormat("user")],
  ["user_feedback_diff", textFormat("user")],
  ["error", { complete: ({ ts, text }) => ({ type: "error", id: ts, content: text ?? "" }) }],
  [
    "mcp_server_response",
    {
      complete: ({ text }) => ({
        type: "tool_result",
        subtype: "mcp",
        tool_result: { name: "mcp_server", output: text ?? "" },
      }),
    },
  ],
]);

const TOOL: EventFormat = {
  delta: (message, content) => toolDelta(message, "tool", content, { name: toolNameIn(message.text ?? "") }),
  complete: (message) => toolUse(message, "tool", calledTool(message)),
};

const COMMAND: EventFormat = {
  delta: (message, command) =>
    toolDelta(message, "command", command, { name: "execute_command", input: { command } }),
  complete: (message) =>
    toolUse(message, "command", { name: "execute_command", input: { command: message.text ?? "" } }),
};

const MCP: EventFormat = {
  delta: (message, content) => toolDelta(message, "mcp", content, { name: "mcp_server" }),
  complete: (message) => toolUse(message, "mcp", { name: "mcp_server", input: { raw: message.text ?? "" } }),
};

const CALLS: ReadonlyMap<string, EventFormat> = new Map([
  ["tool", TOOL],
  ["command", COMMAND],
  ["use_mcp_server", MCP],
]);

/** The format of a message; undefined where it is not emitted, or in other ways. */
export function eventFormatOf(message: ClineMessage, isPrompt: boolean): EventFormat | undefined {
  const { type, ask, say } = message;
  if (type === "ask") {
    if (ask === undefined || ask === "command_output" || ask === "completion_result") return undefined;
    return CALLS.get(ask) ?? formatOfAsk(ask);
  }
  if (say === undefined || NOT_EMITTED.has(say)) return undefined;
  if (say === "text" && isPrompt) return PROMPT;
  return SAYS.get(say) ?? formatOfSay(say);
}

/** Any other `say` with a text. */
function formatOfSay(say: string): EventFormat {
  const format = textFormat("assistant", say);
  return { ...format, complete: (message) => (message.text ? format.complete(message) : undefined) };
}

/** Any other ask. One without a text is emitted while it is open, so that a client can answer it. */
function formatOfAsk(ask: string): EventFormat {
  const format = textFormat("assistant", ask);
  const complete = (message: ClineMessage): JsonEvent | undefined => {
    if (message.text) {
      const code = endErrorOf([message])?.code;
      const event = format.complete(message);
      return code === undefined || event === undefined ? event : { ...event, code };
    }
    return message.closing === undefined
      ? { type: "assistant", subtype: ask, id: message.ts, done: true }
      : undefined;
  };
  return { ...format, complete };
}

const toolDelta = (
  { ts }: ClineMessage,
  subtype: string,
  content: string,
  tool_use: NonNullable<JsonEvent["tool_use"]>,
): JsonEvent => ({ type: "tool_use", subtype, id: ts, content, tool_use });

/** A withdrawn call has no input: it is incomplete, or will not run. */
function toolUse(
  { ts, closing }: ClineMessage,
  subtype: string,
  { name, input }: NonNullable<JsonEvent["tool_use"]>,
): JsonEvent {
  const use = closing === "withdrawn" ? { name } : { name, input };
  return { type: "tool_use", subtype, id: ts, tool_use: use, done: true };
}

function calledTool({ text }: ClineMessage): NonNullable<JsonEvent["tool_use"]> {
  const input = parseJson(text ?? "");
  const isNamed = typeof input === "object" && input !== null && "tool" in input;
  const name = isNamed && typeof input.tool === "string" ? input.tool : "tool";
  return { name, input: input ?? { raw: text ?? "" } };
}

/** The name in an incomplete descriptor: it is the first field. */
function toolNameIn(text: string): string {
  return /^\s*\{\s*"tool"\s*:\s*"([^"\\]*)"/.exec(text)?.[1] ?? "tool";
}
