import { printable, printableOutput } from "../../client/printable/printable.ts";
import { suffixOf } from "../../client/text-change.ts";
import { type LogEvent, positionOf } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { isRequestOpen, requestInfo } from "../../machines/message/request.ts";
import { isAtRest, topState } from "../../machines/message/states.ts";
import type { ToolCall } from "../../machines/tool-call/call.ts";
import { askView, formatFailure, formatSubject } from "../../present/asks.ts";
import { callLines, callTitle } from "../../present/call-text.ts";
import type { Call } from "../../present/calls.ts";
import { messageKind } from "../../present/message-kind.ts";
import { parseCall } from "../../present/parse-call.ts";
import { formatSay } from "../../present/says.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import { parseQuestion } from "../../wire/descriptor.ts";
import { foldLines } from "../show/fold.ts";
import { formatCount, formatUsage, formatWrite } from "../show/format.ts";
import { MessageFeed, type MessageSink } from "../show/message-feed.ts";
import { colorDiffLine, type Style } from "../show/style.ts";
import { formatFollowup } from "./followup.ts";
import { withoutOutput } from "./own-commands.ts";
import { type ModelText, plainModelText, type TextOutput } from "./text-output.ts";

/** Maximum lines shown of a tool call. A person who is asked can view the others. */
export const CALL_LINES_MAX = 30;

/** Maximum characters shown of the rule that allowed a call, or why it is asked about. */
const REASON_CHARS_MAX = 200;

export interface ViewOptions {
  readonly isSubtask?: boolean;
  /** Whether each transition, and the usage of each request, is a line. */
  readonly isVerbose?: boolean;
  /** Writes a line that says whose output follows. Default: as any other line. */
  readonly heading?: (line: string) => void;
  /** The name of the subtask that a call started. Undefined where it is not known. */
  readonly subtaskOf?: (callId: string) => string | undefined;
  /** Whether the end of the subtask that a call started is on the screen already. */
  readonly isEndShown?: (callId: string) => boolean;
  /** Replaces the ids of subtasks in the title of a call by their names. Default: leaves them. */
  readonly named?: (title: string) => string;
}

/** The output that shows the end of a subtask. */
export interface SubtaskOutput {
  heading(line: string): void;
  line(text: string): void;
}

/** Shows the messages and states of a task as lines of a terminal. */
export class TerminalView implements MessageSink {
  readonly #writer: TextOutput;
  readonly #style: Style;
  readonly #modelText: ModelText;
  readonly #feed = new MessageFeed(this);
  /** The commit whose state line is still to be shown. */
  #shown: TaskCommit | undefined;
  /** The `ts` of the open request's message, and the usage of the newest closed request. */
  #request: number | undefined;
  #requestUsage = "";
  #hasPrompt = false;
  /** Text that the user has just typed: it is on the screen already. */
  #typed: string | undefined;
  /** The results of subtasks that are on the screen already. */
  readonly #shownResults = new Set<string>();
  #todos: { readonly done: number; readonly all: number } | undefined;
  /** Output of the running command so far. */
  #output = "";
  /** The call of the newest command that a policy, or its own argument, let continue or terminated. */
  #expired: string | undefined;
  /** The cause of the newest commit; undefined before the first one, and for messages of the past. */
  #cause: string | undefined;

  readonly #isSubtask: boolean;
  readonly #isVerbose: boolean;
  readonly #heading: (line: string) => void;
  readonly #subtaskOf: (callId: string) => string | undefined;
  readonly #isEndShown: (callId: string) => boolean;
  readonly #named: (title: string) => string;

  /** @param modelText shows the text of the model */
  constructor(
    writer: TextOutput,
    style: Style,
    modelText: ModelText = plainModelText(writer),
    { isSubtask = false, isVerbose = false, heading, subtaskOf, isEndShown, named }: ViewOptions = {},
  ) {
    this.#heading = heading ?? ((line) => writer.line(line));
    this.#subtaskOf = subtaskOf ?? (() => undefined);
    this.#isEndShown = isEndShown ?? (() => false);
    this.#named = named ?? ((title) => title);
    this.#isSubtask = isSubtask;
    this.#isVerbose = isVerbose;
    this.#writer = writer;
    this.#style = style;
    this.#modelText = modelText;
  }

  /** Progress of the todo list. */
  get todos(): { readonly done: number; readonly all: number } | undefined {
    return this.#todos;
  }

  /** Take the todo list of messages that are not shown. */
  readTodos(messages: readonly ClineMessage[]): void {
    const isPlan = (message: ClineMessage): boolean =>
      message.closing !== "withdrawn" && parseCall(message)?.content.kind === "plan";
    const newest = messages.findLast(isPlan);
    const call = newest && parseCall(newest);
    if (call !== undefined) this.#noteTodos(call);
  }

  #noteTodos({ content }: Call): void {
    if (content.kind !== "plan") return;
    const done = content.todos.filter(({ status }) => status === "completed");
    this.#todos = { done: done.length, all: content.todos.length };
  }

  show(shown: TaskCommit): void {
    this.#shown = shown;
    this.#cause = shown.commit.cause?.type;
    this.#noteUsage(shown);
    this.#showWrites(shown);
    this.#feed.take(shown);
    this.#showTransition();
    this.#showWaiting(shown);
  }

  /** Shows what calls wrote under an intent. */
  #showWrites({ commit: { calls }, snapshot: { context } }: TaskCommit): void {
    if (context.intent?.stage !== "selected") return;
    const { id: intent } = context.intent;
    const writes = calls.flatMap((call) => ("outcome" in call && call.outcome.writes) || []);
    for (const write of writes)
      this.#writer.line(this.#style.dim(`  ${printable(formatWrite({ lines: null, ...write, intent }))}`));
  }

  /** Mark text that was typed here: its message is not shown again. */
  markTyped(text: string): void {
    this.#typed = text;
  }

  /** Mark a result that a subtask has shown: it is not shown again. */
  markResultShown(result: string): void {
    this.#shownResults.add(result);
  }

  begun(message: ClineMessage): void {
    // A request and an ask start a state: the state line goes before them.
    if (message.type === "ask" || message.say === "api_req_started") this.#showTransition();
    if (message.say === "api_req_started") this.#request = message.ts;
    if (message.ask === "command_output") this.#output = "";
    else if (message.say === "reasoning") this.#beginReasoning();
    else if (message.say === "text") this.#writer.freshLine();
  }

  /** The line begins its message, which is shown as a whole where several tasks work. */
  #beginReasoning(): void {
    this.#writer.freshLine();
    this.#writer.write(`${this.#style.dim("(thinking)")}\n`);
  }

  /** Show an open ask again, below other output. */
  showAgain(message: ClineMessage): void {
    this.#endAsk(message);
  }

  grown(message: ClineMessage, text: string): void {
    if (message.ask === "command_output") {
      this.#output += text;
      this.#writeOutput(text);
    } else if (message.say === "reasoning") this.#writer.write(this.#style.dim(printable(text)));
    else if (message.say === "text" && this.#hasPrompt) this.#modelText.grow(text);
    else if (message.partial === true) this.redrawn(message);
  }

  redrawn(message: ClineMessage): void {
    // Its text is data, and not what a person waits for.
    if (message.say === "api_req_started") return;
    this.#showTransient(titleOf(message) ?? message.text ?? "");
  }

  #showTransient(what: string): void {
    if (what !== "") this.#writer.transient(`... ${printable(what).replaceAll("\n", " ")}`);
  }

  ended(message: ClineMessage): void {
    // An ask that was withdrawn before it was put has not been shown.
    if (message.closing === "withdrawn") {
      if (message.ask === "command_output") this.#showInterrupted();
    } else if (message.type === "ask") this.#endAsk(message);
    else this.#endSay(message);
  }

  /** Messages of the past don't say whether the task was cancelled, which terminates its command, or its process ended. */
  #showInterrupted(): void {
    const how = STOPS.has(this.#cause ?? "")
      ? "stopped"
      : "interrupted; if the process of the task was killed, it may still run";
    this.#writer.line(this.#style.dim(`  (${how})`));
  }

  #endAsk(message: ClineMessage): void {
    const text = message.text ?? "";
    switch (message.ask) {
      case "command":
        this.#writer.line(
          `${this.#style.bold("$")} ${this.#style.bold(printable(text))}${this.#ruleOf(message)}`,
        );
        this.#showReason(message);
        break;
      case "command_output":
        if (message.closing === "expired") this.#expired = message.callId;
        break;
      case "followup":
        // An open question is shown where it is asked.
        if (message.closing !== undefined) this.#showQuestion(text);
        break;
      case "completion_result":
        break;
      case "api_req_failed":
        this.#writer.line(this.#style.red(printable(formatFailure(message))));
        break;
      case "auto_approval_max_req_reached":
        this.#writer.line(this.#style.yellow(`Limit reached: ${printable(formatSubject(message))}`));
        break;
      case "resume_task":
        // The root task says it for its subtasks.
        if (!this.#isSubtask) this.#writer.line(this.#style.yellow(askView("resume_task", message).about));
        break;
      default:
        this.#showCall(message, text);
    }
  }

  #showQuestion(text: string): void {
    const { question, suggest } = parseQuestion(text);
    for (const line of formatFollowup({ question, suggestions: suggest }, this.#style))
      this.#writer.line(line);
  }

  #showTitle(message: ClineMessage, title: string): void {
    const shown = this.#style.bold(printable(title));
    this.#writer.line(`${this.#style.bold("*")} ${shown}${this.#ruleOf(message)}`);
  }

  #showCall(message: ClineMessage, text: string): void {
    const call = parseCall(message);
    if (call === undefined) {
      if (text !== "") this.#writer.line(printable(text));
      return;
    }
    this.#showTitle(message, this.#named(callTitle(call)));
    if (call.isOutsideWorkspace === true) {
      this.#writer.line(this.#style.red(`  outside the workspace: ${printable(call.paths.join(", "))}`));
    }
    this.#showBody(call, message.closing === undefined);
    this.#showReason(message);
  }

  /** The rule that allowed a call, after its title. */
  #ruleOf({ reason, closing }: ClineMessage): string {
    return reason === undefined || closing === undefined ? "" : this.#style.dim(`  (${shortReason(reason)})`);
  }

  /** Show why a person is asked about a call, before the question. */
  #showReason({ reason, closing }: ClineMessage): void {
    if (reason === undefined || closing !== undefined) return;
    this.#writer.line(this.#style.dim(`  asked because ${shortReason(reason)}`));
  }

  #showBody(call: Call, isAsked: boolean): void {
    this.#noteTodos(call);
    const { first, hidden, last } = foldLines(callLines(call), CALL_LINES_MAX);
    const show = (line: string): void => this.#writer.line(`  ${this.#paint(printable(line), call)}`);
    for (const line of first) show(line);
    if (hidden > 0) this.#writer.line(this.#style.dim(formatHidden(hidden, isAsked)));
    for (const line of last) show(line);
  }

  #paint(line: string, { content: { kind } }: Call): string {
    if (kind === "arguments") return line;
    if (kind !== "plan") return colorDiffLine(line, this.#style);
    if (line.startsWith("[x]")) return this.#style.dim(line);
    return line.startsWith("[-]") ? this.#style.bold(line) : line;
  }

  #endSay(message: ClineMessage): void {
    const text = message.text ?? "";
    switch (message.say) {
      case "text":
        if (!this.#hasPrompt) this.#showUserText(text);
        else this.#modelText.end();
        this.#hasPrompt = true;
        break;
      case "reasoning":
        this.#writer.freshLine();
        break;
      case "api_req_started":
      case "checkpoint_saved":
      case "mcp_server_request_started":
        break;
      case "tool":
        if (message.callId !== undefined && message.callId === this.#expired)
          this.#writer.line(this.#style.dim("  (continues in the background)"));
        break;
      case "opaque":
        this.#writer.line(this.#style.dim(`(${printable(text.split("\n", 1)[0] ?? "")})`));
        break;
      case "api_req_retried":
        this.#writer.line(this.#style.dim("Retrying the request."));
        break;
      case "completion_result":
        this.#showResult(text);
        break;
      case "command_output":
        this.#endCommand(text, message.exitCode);
        break;
      case "user_feedback":
        this.#showUserText(text);
        break;
      case "wake_up":
        this.#writer.line(this.#style.bold(`> Wake-up: ${printable(text)}`));
        break;
      case "user_feedback_diff":
      case "user_edit_todos":
        this.#showEdit(message);
        break;
      case "subtask_result":
        this.#endSubtask(message);
        break;
      default:
        this.#showNote(message);
    }
  }

  #endSubtask({ text, callId = "" }: ClineMessage): void {
    if (this.#isEndShown(callId)) return;
    const output = { heading: this.#heading, line: (line: string) => this.#writer.line(line) };
    this.showEnd(this.#subtaskOf(callId), text ?? "", output);
  }

  /** Show the end of a subtask. A result that the subtask has shown is not shown again. */
  showEnd(name: string | undefined, result: string, output: SubtaskOutput): void {
    output.heading(this.#style.bold(`== ${printable(name ?? "Subtask")} ended`));
    if (!this.#shownResults.delete(result)) output.line(printable(result));
  }

  #showNote(message: ClineMessage): void {
    const text = formatSay(message);
    const { tone } = messageKind(message);
    const paint = tone === "bad" ? this.#style.red : tone === "warn" ? this.#style.yellow : plain;
    if (text !== "") this.#writer.line(paint(printable(text)));
  }

  #showResult(text: string): void {
    this.#writer.freshLine();
    this.#writer.write(`${this.#style.green("Done.")} `);
    this.#modelText.grow(text);
    this.#modelText.end();
  }

  #showUserText(text: string): void {
    if (text !== this.#typed) this.#writer.line(this.#style.bold(`> ${printable(withoutOutput(text))}`));
    this.#typed = undefined;
  }

  /** Show what the user changed of a call. */
  #showEdit(message: ClineMessage): void {
    const call = parseCall(message);
    if (call === undefined) return;
    const [what = "the todo list"] = call.paths.map(printable);
    this.#writer.line(this.#style.bold(`> Edited by you: ${what}`));
    this.#showBody(call, true);
  }

  /** The message has the whole output: the part that has been shown is not shown again. */
  #endCommand(text: string, exitCode: number | undefined): void {
    this.#writeOutput(suffixOf(this.#output, text) ?? "");
    this.#output = "";
    const how = exitCode === undefined ? "ended" : `exit code ${exitCode}`;
    this.#writer.line(this.#style.dim(`  (${how})`));
  }

  #writeOutput(text: string): void {
    const lines = printableOutput(text).split("\n");
    for (const [index, line] of lines.entries()) {
      if (index > 0) this.#writer.write("\n");
      if (line !== "") this.#writer.write(`${this.#writer.isInLine ? "" : "  "}${this.#style.dim(line)}`);
    }
  }

  /** Messages of the same commit may come before the amendment that closes the request. */
  #noteUsage({ commit, snapshot: { context } }: TaskCommit): void {
    const request = this.#request;
    if (request === undefined || !commit.log.some((event) => isAmended(event, request))) return;
    const message = context.log.at(positionOf(context.log, request));
    if (message !== undefined && !isRequestOpen(message)) {
      this.#requestUsage = formatRequestUsage(message);
      this.#request = undefined;
    }
  }

  /** Shows the state line, once per commit; at rest with the total usage of the task. */
  #showTransition(): void {
    if (this.#shown === undefined) return;
    const { commit, snapshot } = this.#shown;
    this.#shown = undefined;
    const before = topState(commit.before);
    const after = topState(commit.after);
    if (before === after) return;
    const usage = isAtRest(after)
      ? `  (total ${formatUsage(snapshot.context.total)})`
      : this.#takeRequestUsage();
    // A turn starts: a blank line before it.
    if (after === "streaming") this.#writer.line("");
    if (this.#isVerbose) this.#writer.line(this.#style.dim(`-- ${before} -> ${after}${usage}`));
    else this.#writer.transient("");
  }

  #takeRequestUsage(): string {
    const usage = this.#requestUsage;
    this.#requestUsage = "";
    return usage === "" ? "" : `  (${usage})`;
  }

  #showWaiting({ commit: { cause, before, after }, snapshot }: TaskCommit): void {
    if (cause?.type === "tool.progress") this.#showTransient(cause.status.text ?? "");
    else if (cause?.type === "llm.tool.start") this.#showTransient(`${cause.name}: receiving its arguments`);
    else if (cause?.type === "llm.tool.delta") {
      const call = snapshot.context.turn.calls.find(({ callId }) => callId === cause.callId);
      if (call?.phase === "planned")
        this.#showTransient(
          formatReceived(call, call.preview, "received" in cause ? cause.received : undefined),
        );
    } else if (before !== after && (after === "streaming.preparing" || after === "streaming.receiving"))
      this.#showTransient("waiting for the model");
  }
}

/** The title of a call's message. */
function titleOf(message: Pick<ClineMessage, "ask" | "text">): string | undefined {
  const call = parseCall(message);
  return call && callTitle(call);
}

const plain = (text: string): string => text;

const STOPS: ReadonlySet<string> = new Set(["task.cancel", "journal.failed"]);

/** A call whose arguments are incomplete. Up to its limit, the preview is about as long as the arguments. */
function formatReceived({ name, ask }: ToolCall, preview: string, received = preview.length): string {
  const title = ask === "command" ? name : (titleOf({ ask, text: preview }) ?? name);
  return `${title}: ${formatCount(received)} characters of its arguments received`;
}

const formatHidden = (lines: number, isAsked: boolean): string =>
  `  ... ${lines} lines hidden${isAsked ? " (v shows all)" : ""} ...`;

function shortReason(reason: string): string {
  const line = printable(reason).replaceAll("\n", " ");
  return line.length > REASON_CHARS_MAX ? `${line.slice(0, REASON_CHARS_MAX)}...` : line;
}

const isAmended = (event: LogEvent, ts: number): boolean =>
  event.type === "message.amended" && event.ts === ts;

/** Format the usage of a closed request; empty for one that used no tokens. */
export function formatRequestUsage(message: ClineMessage): string {
  const {
    tokensIn = 0,
    tokensOut = 0,
    cacheWrites = 0,
    cacheReads = 0,
    cost = null,
  } = requestInfo(message) ?? {};
  if (tokensIn + tokensOut + cacheWrites + cacheReads === 0) return "";
  return formatUsage({ tokensIn, tokensOut, cacheWrites, cacheReads, cost });
}
