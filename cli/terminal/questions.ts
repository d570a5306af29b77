import type { AnswerResult } from "../../actors/ask/open-asks.ts";
import { printable } from "../../client/printable/printable.ts";
import { type BlockingAsk, parseAnswer } from "../../client/roo/console/ask-prompt.ts";
import type { ApprovalAsk, Ask } from "../../runtime/task/ask.ts";
import { parseDescriptor } from "../../wire/descriptor.ts";
import { formatToolBody, formatToolTitle } from "../show/descriptor.ts";
import { formatMcpCall } from "../show/mcp-call.ts";
import { CALL_LINES_MAX } from "./view.ts";

/** Maximum characters of a call's title in its question. */
const TITLE_CHARS_MAX = 100;

/** The effect of a line: an answer that was given, a hint about what is expected, or quitting. */
export type Reaction =
  | { readonly kind: "answered"; readonly result: AnswerResult }
  | { readonly kind: "unclear"; readonly hint: string }
  | { readonly kind: "leave" };

/** An ask for which "always" is an answer, with a rule. */
export type AlwaysAsk = ApprovalAsk & { readonly rules: readonly [string, ...string[]] };

export function offersAlways(ask: Ask): ask is AlwaysAsk {
  return "rules" in ask && ask.rules.length > 0;
}

const APPROVALS: ReadonlySet<Ask["kind"]> = new Set([
  ...(["tool", "command", "use_mcp_server", "browser_action_launch"] as const),
]);

/** Whether the ask is about a tool call. */
export const isApproval = ({ kind }: Pick<Ask, "kind">): boolean => APPROVALS.has(kind);

/** What a person is asked about, in full. Undefined where nothing of it can be hidden. */
export function hiddenContent(ask: Ask): string | undefined {
  if (ask.kind === "command") return isCut(ask.text) ? ask.text : undefined;
  const { title, body } = formatMcpCall(ask.text) ?? formatCall(ask.text) ?? { title: "", body: [] };
  return body.length > CALL_LINES_MAX ? [title, ...body].join("\n") : undefined;
}

function formatCall(text: string): { readonly title: string; readonly body: readonly string[] } | undefined {
  const descriptor = parseDescriptor(text);
  return descriptor && { title: formatToolTitle(descriptor), body: formatToolBody(descriptor) };
}

/** The words that a question offers. */
export interface OfferedWords {
  /** Whether a rule is offered that allows such calls. */
  readonly always?: boolean;
  /** Whether the proposal can be edited. */
  readonly edit?: boolean;
  /** Whether content is hidden. */
  readonly view?: boolean;
}

/** Format the question of an ask, with the words that answer it; undefined for an ask that needs no answer. */
export function formatQuestion(
  ask: Ask,
  { always = false, edit = false, view = false }: OfferedWords = {},
): string | undefined {
  const words = [
    "y",
    "n",
    ...(always ? ["always"] : []),
    ...(edit ? ["e(dit)"] : []),
    ...(view ? ["v"] : []),
    "q",
  ].join("/");
  switch (ask.kind) {
    case "tool":
    case "use_mcp_server":
    case "browser_action_launch":
    case "command":
      return `${formatTarget(ask)}? ${words}, or type what to do instead: `;
    case "followup":
      return ask.suggestions.length > 0
        ? "A number, or your own answer (q quits): "
        : "Your answer (q quits): ";
    case "completion_result":
      return "Type what is missing, y to accept, q to leave: ";
    case "api_req_failed":
      return "Try again? y/n/q: ";
    case "mistake_limit_reached":
      return "Continue? y/n/q, or give guidance: ";
    case "auto_approval_max_req_reached":
      return "Continue? y/n/q: ";
    case "resume_task":
      return "Enter to resume, y/n/q, or type a message: ";
    case "resume_completed_task":
      return "Type what to do next, or n/q to quit: ";
    case "command_output":
      return undefined;
  }
}

/** What a call does, in the last line that a person reads: `Edit src/a.ts (+3 -1)`. */
function formatTarget({ kind, text, tool: call }: ApprovalAsk): string {
  const descriptor = parseDescriptor(text);
  if (kind === "command")
    return `Run \`${cutTitle(text)}\`${call?.input.background === true ? " in the background" : ""}`;
  if (descriptor === undefined) return cutTitle(formatMcpCall(text)?.question ?? "Allow it");
  const { tool, path, content } = descriptor;
  const isNew = tool === "newFileCreated" && path !== undefined && content !== undefined;
  return cutTitle(
    isNew ? `Create ${path} (+${formatToolBody(descriptor).length})` : formatToolTitle(descriptor),
  );
}

const isCut = (text: string): boolean => text.includes("\n") || text.length > TITLE_CHARS_MAX;

function cutTitle(text: string): string {
  const [line = ""] = printable(text.trim()).split("\n", 1);
  return line.length === text.trim().length && line.length <= TITLE_CHARS_MAX
    ? line
    : `${line.slice(0, TITLE_CHARS_MAX)}...`;
}

/** Answer the ask with a line. An unclear line is asked again, never guessed. */
export function applyAnswer(ask: BlockingAsk, line: string): Reaction {
  const reading = line.trim() === "" ? byEnter(ask) : parseAnswer(ask, line);
  if (reading.kind === "unclear") return reading;
  const result = reading.value();
  return result === undefined ? { kind: "leave" } : { kind: "answered", result };
}

/** The meaning of an empty line. It never approves a tool call (L7), and never ends the program. */
function byEnter(ask: BlockingAsk): ReturnType<typeof parseAnswer> {
  if (ask.kind === "resume_task") return { kind: "value", value: () => ask.resume() };
  if (ask.kind === "completion_result")
    return { kind: "unclear", hint: "An empty line is no answer. To leave: y, q or Ctrl-D." };
  return parseAnswer(ask, "");
}
