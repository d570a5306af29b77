import { z } from "zod";
import type { ClineMessage } from "../../machines/message/index.ts";
import { followupIn } from "../../runtime/index.ts";
import { sayRetry } from "./retry.ts";

/** How a row is shown in text. */
export interface RowForm {
  /** Stands before the text, and before each part of it that does not follow the one before at once. */
  readonly header: string;
  readonly text: string;
  /** Shown as it grows, not only once it is whole. Then `text` is the row's own text, as it is. */
  readonly isStreamed: boolean;
  /** It will not grow any more. */
  readonly isWhole: boolean;
  /** What a command wrote: without its colours, and a line that it wrote over is a line of its own. */
  readonly isOutput?: boolean;
  /** Default `out`. */
  readonly to?: "out" | "error";
}

/** Says how a row is shown; undefined for one that isn't. */
export type TextForm = (row: ClineMessage) => RowForm | undefined;

/**
 * The rows as the text mode of this family's command shows them: what the model says and thinks and what commands
 * write, as they come, under `[assistant]`, `[reasoning]` and `[command output]`; asks under their names, once they are
 * whole; errors on the error stream. Rows that are for programs are not shown, nor is an ask that was withdrawn.
 */
export const textForm: TextForm = (row) => (row.type === "ask" ? askForm(row) : sayForm(row));

function sayForm(row: ClineMessage): RowForm | undefined {
  switch (row.say) {
    case "text":
    case "completion_result":
      return streamed(row, "[assistant] ");
    case "reasoning":
      return streamed(row, "[reasoning] ");
    case "command_output":
      return { ...streamed(row, "[command output] "), isOutput: true };
    case "mcp_server_response":
      return line(row, "[mcp response]");
    case "subtask_result":
      return line(row, "[subtask ended]");
    case "error":
      return { ...line(row, "[error]"), to: "error" };
    case "api_req_retry_delayed":
      return { ...line(row, "[error]", sayRetry(row.text ?? "")), to: "error" };
    default:
      return undefined;
  }
}

function askForm(row: ClineMessage): RowForm | undefined {
  if (row.closing === "withdrawn" && row.ask !== "command_output") return undefined;
  const text = row.text ?? "";
  switch (row.ask) {
    case "command_output":
      // Its end is a row of its own, which goes on where this one stopped.
      return { ...streamed(row, "[command output] "), isOutput: true, isWhole: false };
    case "followup":
      return line(row, "[question]", sayQuestion(text));
    case "command":
      return line(row, "[command request]");
    case "tool":
      return line(row, "[Tool Request]", sayCall(text));
    case "use_mcp_server":
      return line(row, "[mcp request]");
    case "browser_action_launch":
      return line(row, "[browser request]");
    case "api_req_failed":
      return line(row, "[api request failed]");
    case "mistake_limit_reached":
      return line(row, "[mistake limit reached]");
    case "auto_approval_max_req_reached":
      return line(row, "[auto-approval limit reached]");
    case "resume_task":
    case "resume_completed_task":
      return line(row, "[Resume Task]", "");
    case "completion_result":
      return line(row, "[task complete]");
    default:
      return undefined;
  }
}

const streamed = (row: ClineMessage, header: string): RowForm => ({
  header,
  text: row.text ?? "",
  isStreamed: true,
  isWhole: row.partial !== true,
});

const line = (row: ClineMessage, name: string, text = row.text ?? ""): RowForm => ({
  header: text === "" ? name : `${name} `,
  text,
  isStreamed: false,
  isWhole: row.partial !== true,
});

/** The question, and its suggestions by their numbers. */
function sayQuestion(text: string): string {
  const { question, suggestions } = followupIn(text);
  return [question, ...suggestions.map((answer, index) => `  ${index + 1}. ${answer}`)].join("\n");
}

const Call = z.object({ tool: z.string(), path: z.string().optional(), mode: z.string().optional() });

function sayCall(text: string): string {
  const parsed = Call.safeParse(jsonOf(text));
  if (!parsed.success) return text;
  const { tool, path, mode } = parsed.data;
  return [tool, path ?? mode ?? ""].join(" ").trimEnd();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
