import { isShutDown } from "../../../machines/message/end-error.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { formatLimit } from "../../../present/limit.ts";
import { formatSay } from "../../../present/says.ts";
import { parseDescriptor, parseQuestion } from "../../../wire/descriptor.ts";

/** The text form of a message. */
export interface MessageFormat {
  /** Precedes the text, and each part of it that follows other output. */
  readonly header: string;
  readonly text: string;
  /** Whether it is written while it grows. Then `text` is the message's own text, unchanged. */
  readonly isStreamed: boolean;
  /** Whether it will not change any more. */
  readonly isComplete: boolean;
  /** Whether it is output of a command: colors are removed, and an overwritten line becomes a separate line. */
  readonly isOutput?: boolean;
  /** Default `out`. */
  readonly to?: "out" | "error";
}

/** Formats a message; undefined for one that is not shown. */
export type MessageFormatter = (message: ClineMessage) => MessageFormat | undefined;

/**
 * Format a message as the text mode of Roo Code's command does: text, reasoning and command output are streamed under
 * `[assistant]`, `[reasoning]` and `[command output]`; asks appear under their names once they are complete; errors go to
 * the error stream. Beyond that, a call that is allowed without an ask names the rule. Messages for programs and withdrawn
 * asks are not shown.
 */
export const formatMessage: MessageFormatter = (message) =>
  message.type === "ask" ? askFormat(message) : sayFormat(message);

function sayFormat(message: ClineMessage): MessageFormat | undefined {
  switch (message.say) {
    case "text":
    case "completion_result":
      return streamed(message, "[assistant] ");
    case "reasoning":
      return streamed(message, "[reasoning] ");
    case "command_output":
      return { ...streamed(message, "[command output] "), isOutput: true };
    case "mcp_server_response":
      return line(message, "[mcp response]");
    case "subtask_result":
      return line(message, "[subtask ended]");
    case "permissions_changed":
      return line(message, "[permissions changed]", "");
    case "hook":
      return line(message, "[hook]");
    case "wake_up":
      return line(message, "[wake-up]");
    case "error":
    case "diff_error":
    case "rooignore_error":
    case "api_req_retry_delayed":
      return { ...line(message, "[error]", formatSay(message)), to: "error" };
    case "api_req_rate_limit_wait":
      return { ...line(message, "[waiting]", formatSay(message)), to: "error" };
    default:
      return undefined;
  }
}

function askFormat(message: ClineMessage): MessageFormat | undefined {
  if (message.closing === "withdrawn" && message.ask !== "command_output") return undefined;
  const text = message.text ?? "";
  switch (message.ask) {
    case "command_output":
      // Another message continues it when the command ends.
      return { ...streamed(message, "[command output] "), isOutput: true, isComplete: false };
    case "followup":
      return line(message, "[question]", formatQuestion(text));
    case "command":
      return line(message, "[command request]", withRule(message, text));
    case "tool":
      return line(message, "[Tool Request]", withRule(message, formatCall(text)));
    case "use_mcp_server":
      return line(message, "[mcp request]", withRule(message, text));
    case "browser_action_launch":
      return line(message, "[browser request]");
    case "api_req_failed":
      return line(
        message,
        isShutDown(message.ask, message.errorCode) ? "[task ended]" : "[api request failed]",
      );
    case "mistake_limit_reached":
      return line(message, "[mistake limit reached]");
    case "auto_approval_max_req_reached":
      return line(message, "[auto-approval limit reached]", formatLimit(text));
    case "resume_task":
    case "resume_completed_task":
      return line(message, "[Resume Task]", "");
    case "completion_result":
      return line(message, "[task complete]");
    default:
      return undefined;
  }
}

const streamed = (message: ClineMessage, header: string): MessageFormat => ({
  header,
  text: message.text ?? "",
  isStreamed: true,
  isComplete: message.partial !== true,
});

const line = (message: ClineMessage, name: string, text = message.text ?? ""): MessageFormat => ({
  header: text === "" ? name : `${name} `,
  text,
  isStreamed: false,
  isComplete: message.partial !== true,
});

/** The question and its numbered suggestions. */
function formatQuestion(text: string): string {
  const { question, suggest } = parseQuestion(text);
  return [question, ...suggest.map(({ answer }, index) => `  ${index + 1}. ${answer}`)].join("\n");
}

/** The text of a call, with the rule that allowed it. While it is asked about, the question has the reason. */
const withRule = ({ reason, closing }: ClineMessage, text: string): string =>
  reason === undefined || closing === undefined ? text : `${text}  (${reason})`;

function formatCall(text: string): string {
  const descriptor = parseDescriptor(text);
  if (descriptor === undefined) return text;
  const { tool, path, mode, id } = descriptor;
  return [tool, path ?? mode ?? id ?? ""].join(" ").trimEnd();
}
