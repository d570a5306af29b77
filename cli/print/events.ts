import type { ClineMessage } from "../../machines/message/index.ts";
import type { Usage } from "../../machines/task/index.ts";

/** One entry of a run's record in JSON. A key that means nothing is absent. */
export interface PrintedEvent {
  readonly type: "system" | "assistant" | "user" | "tool_use" | "tool_result" | "thinking" | "error";
  readonly subtype?: string;
  /** Of a subtask: its id. */
  readonly taskId?: string;
  /** The row's `ts`. */
  readonly id?: number;
  readonly content?: string;
  readonly tool_use?: { readonly name: string; readonly input?: unknown };
  readonly tool_result?: { readonly name: string; readonly output?: string; readonly exitCode?: number };
  readonly schemaVersion?: number;
  readonly protocol?: string;
  readonly capabilities?: readonly string[];
}

export interface PrintedCost {
  readonly totalCost: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheWrites: number;
  readonly cacheReads: number;
}

export const costOf = ({ cost, tokensIn, tokensOut, cacheWrites, cacheReads }: Usage): PrintedCost => ({
  totalCost: cost,
  inputTokens: tokensIn,
  outputTokens: tokensOut,
  cacheWrites,
  cacheReads,
});

/** The subtasks of a call, as events of their own. */
type SubtaskEvents = (callId: string | undefined) => readonly PrintedEvent[];

/**
 * The record of a log: its rows that are whole, in order, as the print mode tells them. Before a subtask's result
 * stands what the subtask did.
 */
export function printedEvents(
  rows: Iterable<ClineMessage>,
  subtasks: SubtaskEvents = () => [],
): readonly PrintedEvent[] {
  const events: PrintedEvent[] = [
    {
      type: "system",
      subtype: "init",
      content: "Task started",
      schemaVersion: 1,
      protocol: "roo-cli-stream",
      capabilities: [],
    },
  ];
  let hasPrompt = false;
  const commands = new Map<string | undefined, number>();
  for (const row of rows) {
    if (row.partial === true) continue;
    if (row.say === "subtask_result") events.push(...subtasks(row.callId));
    if (row.ask === "command") commands.set(row.callId, row.ts);
    if (row.say === "text" && !hasPrompt) {
      hasPrompt = true;
      events.push({ type: "user", id: row.ts, content: row.text ?? "" });
    } else if (row.say === "command_output") events.push(commandResult(row, commands.get(row.callId)));
    else events.push(...(row.type === "ask" ? askEvents(row) : sayEvents(row)));
  }
  return events;
}

/** Rows that are told otherwise, or to nobody. */
const UNTOLD = new Set([
  "completion_result",
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

/** A command's result goes by the `ts` of the ask that it was run under. */
function commandResult({ ts, text, exitCode }: ClineMessage, ask: number | undefined): PrintedEvent {
  const result = {
    name: "execute_command",
    output: text ?? "",
    ...(exitCode !== undefined && { exitCode }),
  };
  return { type: "tool_result", subtype: "command", id: ask ?? ts, tool_result: result };
}

function sayEvents({ ts: id, say, text }: ClineMessage): readonly PrintedEvent[] {
  const content = text ?? "";
  switch (say) {
    case "text":
      return [{ type: "assistant", id, content }];
    case "reasoning":
      return [{ type: "thinking", id, content }];
    case "user_feedback":
    case "user_feedback_diff":
      return [{ type: "user", id, content }];
    case "error":
      return [{ type: "error", id, content }];
    case "mcp_server_response":
      return [{ type: "tool_result", subtype: "mcp", tool_result: { name: "mcp_server", output: content } }];
    default:
      if (content === "" || say === undefined || UNTOLD.has(say)) return [];
      return [{ type: "assistant", subtype: say, id, content }];
  }
}

function askEvents({ ts: id, ask, text, closing }: ClineMessage): readonly PrintedEvent[] {
  const content = text ?? "";
  if (closing === "withdrawn") return [];
  switch (ask) {
    case "tool":
      return [{ type: "tool_use", subtype: "tool", id, tool_use: toolUseOf(content) }];
    case "command":
      return [
        {
          type: "tool_use",
          subtype: "command",
          id,
          content,
          tool_use: { name: "execute_command", input: { command: content } },
        },
      ];
    case "use_mcp_server":
      return [
        { type: "tool_use", subtype: "mcp", id, tool_use: { name: "mcp_server", input: { raw: content } } },
      ];
    case "command_output":
    case "completion_result":
      return [];
    default:
      return content === "" || ask === undefined ? [] : [{ type: "assistant", subtype: ask, id, content }];
  }
}

function toolUseOf(text: string): NonNullable<PrintedEvent["tool_use"]> {
  const input = jsonOf(text);
  const isNamed = typeof input === "object" && input !== null && "tool" in input;
  const name = isNamed && typeof input.tool === "string" ? input.tool : "tool";
  return { name, input: input ?? { raw: text } };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
