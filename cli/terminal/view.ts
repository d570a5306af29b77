import { suffixOf } from "../../client/index.ts";
import { type ClineMessage, isRequestOpen, type LogEvent, positionOf } from "../../machines/message/index.ts";
import type { TaskCommit } from "../../runtime/index.ts";
import {
  bodyOf,
  descriptorOf,
  printable,
  printableOutput,
  RowFeed,
  type RowSink,
  type ShownDescriptor,
  type Style,
  sayRetry,
  sayUsage,
  titleOf,
} from "../show/index.ts";
import { paintDiff } from "./diff-colours.ts";
import { type Paper, type Prose, plainProse } from "./paper.ts";
import { requestUsage } from "./request-usage.ts";

/** The most lines that are shown of a call that nobody has to judge. */
const ALLOWED_LINES_MAX = 60;

/** Shows a task's rows and states as lines of a terminal. */
export class TerminalView implements RowSink {
  readonly #writer: Paper;
  readonly #style: Style;
  readonly #prose: Prose;
  readonly #feed = new RowFeed(this);
  /** The commit whose state line is still to be shown. */
  #shown: TaskCommit | undefined;
  /** The `ts` of the request's row that is open, and what the newest closed one used. */
  #request: number | undefined;
  #requestUsage = "";
  #hasPrompt = false;
  /** What the person has just typed: it is on the screen already. */
  #typed: string | undefined;
  /** The result of a subtask, which is on the screen already. */
  #heard: string | undefined;
  #todos: { readonly done: number; readonly all: number } | undefined;
  /** What the command that runs has put out so far. */
  #output = "";

  /** `prose` shows the model's words. */
  constructor(writer: Paper, style: Style, prose: Prose = plainProse(writer)) {
    this.#writer = writer;
    this.#style = style;
    this.#prose = prose;
  }

  /** How far the plan is that the model has told. */
  get todos(): { readonly done: number; readonly all: number } | undefined {
    return this.#todos;
  }

  show(shown: TaskCommit): void {
    this.#shown = shown;
    this.#noteUsage(shown);
    this.#feed.take(shown);
    this.#showTransition();
    this.#showWaiting(shown.commit.after);
  }

  /** These words were typed here: their row is not shown again. */
  typed(words: string): void {
    this.#typed = words;
  }

  /** A subtask has shown this result: it is not shown again. */
  heard(result: string): void {
    this.#heard = result;
  }

  begun(row: ClineMessage): void {
    // A request and an ask begin a state: what comes before them belongs to the one before.
    if (row.type === "ask" || row.say === "api_req_started") this.#showTransition();
    if (row.say === "api_req_started") this.#request = row.ts;
    if (row.ask === "command_output") this.#output = "";
    else if (row.say === "reasoning") this.#writer.line(this.#style.dim("(thinking)"));
    else if (row.say === "text") this.#writer.freshLine();
  }

  grown(row: ClineMessage, text: string): void {
    if (row.ask === "command_output") {
      this.#output += text;
      this.#writeOutput(text);
    } else if (row.say === "reasoning") this.#writer.write(this.#style.dim(printable(text)));
    else if (row.say === "text" && this.#hasPrompt) this.#prose.grow(text);
    else if (row.partial === true) this.redrawn(row);
  }

  redrawn(row: ClineMessage): void {
    const descriptor = descriptorOf(row.text);
    const what = descriptor === undefined ? (row.text ?? "") : titleOf(descriptor);
    if (what !== "") this.#writer.passing(`... ${printable(what).replaceAll("\n", " ")}`);
  }

  ended(row: ClineMessage): void {
    // What was withdrawn before anybody was asked has not been shown.
    if (row.closing === "withdrawn") {
      if (row.ask === "command_output") this.#writer.line(this.#style.dim("  (stopped)"));
    } else if (row.type === "ask") this.#endAsk(row);
    else this.#endSay(row);
  }

  #endAsk(row: ClineMessage): void {
    const text = row.text ?? "";
    switch (row.ask) {
      case "command":
        this.#writer.line(`${this.#style.bold("$")} ${this.#style.bold(printable(text))}`);
        break;
      case "followup":
      case "command_output":
      case "completion_result":
        break;
      case "api_req_failed":
        this.#writer.line(this.#style.red(`The request failed: ${printable(text)}`));
        break;
      case "auto_approval_max_req_reached":
        this.#writer.line(this.#style.yellow(`A limit is reached: ${printable(text)}`));
        break;
      case "resume_task":
        this.#writer.line(this.#style.yellow("The task is interrupted."));
        break;
      default:
        this.#showCall(row, text);
    }
  }

  #showCall(row: ClineMessage, text: string): void {
    const descriptor = descriptorOf(text);
    if (descriptor === undefined) {
      if (text !== "") this.#writer.line(printable(text));
      return;
    }
    this.#writer.line(`${this.#style.bold("*")} ${this.#style.bold(printable(titleOf(descriptor)))}`);
    if (descriptor.isOutsideWorkspace === true) {
      this.#writer.line(this.#style.red(`  outside the workspace: ${printable(descriptor.path ?? "")}`));
    }
    this.#showBody(descriptor, row.closing !== undefined);
  }

  #showBody(descriptor: ShownDescriptor, isAllowed: boolean): void {
    const lines = bodyOf(descriptor);
    if (descriptor.tool === "updateTodoList")
      this.#todos = { done: lines.filter((line) => line.startsWith("[x]")).length, all: lines.length };
    const shown = isAllowed ? lines.slice(0, ALLOWED_LINES_MAX) : lines;
    for (const line of shown) this.#writer.line(`  ${this.#paint(printable(line), descriptor)}`);
    const left = lines.length - shown.length;
    if (left > 0) this.#writer.line(this.#style.dim(`  [... ${left} more lines ...]`));
  }

  #paint(line: string, { tool }: ShownDescriptor): string {
    if (tool !== "updateTodoList") return paintDiff(line, this.#style);
    if (line.startsWith("[x]")) return this.#style.dim(line);
    return line.startsWith("[-]") ? this.#style.bold(line) : line;
  }

  #endSay(row: ClineMessage): void {
    const text = row.text ?? "";
    switch (row.say) {
      case "text":
        if (!this.#hasPrompt) this.#showWords(text);
        else this.#prose.end();
        this.#hasPrompt = true;
        break;
      case "reasoning":
        this.#writer.freshLine();
        break;
      case "api_req_started":
      case "checkpoint_saved":
      case "tool":
      case "mcp_server_request_started":
        break;
      case "api_req_retried":
        this.#writer.line(this.#style.dim("The request is sent again."));
        break;
      case "completion_result":
        this.#showResult(text);
        break;
      case "command_output":
        this.#endCommand(text, row.exitCode);
        break;
      case "user_feedback":
        this.#showWords(text);
        break;
      case "api_req_retry_delayed":
        this.#writer.line(this.#style.yellow(printable(sayRetry(text))));
        break;
      case "subtask_result":
        this.#writer.line(this.#style.bold("== The subtask has ended"));
        if (text !== this.#heard) this.#writer.line(printable(text));
        this.#heard = undefined;
        break;
      case "error":
        this.#writer.line(this.#style.red(printable(text)));
        break;
      default:
        if (text !== "") this.#writer.line(printable(text));
    }
  }

  #showResult(text: string): void {
    this.#writer.freshLine();
    this.#writer.write(`${this.#style.green("Done.")} `);
    this.#prose.grow(text);
    this.#prose.end();
  }

  #showWords(text: string): void {
    if (text !== this.#typed) this.#writer.line(this.#style.bold(`> ${printable(text)}`));
    this.#typed = undefined;
  }

  /** The row has the whole output: what of it has been shown is not shown again. */
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

  /** Rows of the same commit may stand before the amendment that closes the request. */
  #noteUsage({ commit, snapshot: { context } }: TaskCommit): void {
    const request = this.#request;
    if (request === undefined || !commit.log.some((event) => isAmended(event, request))) return;
    const row = context.log.at(positionOf(context.log, request));
    if (row !== undefined && !isRequestOpen(row)) {
      this.#requestUsage = requestUsage(row);
      this.#request = undefined;
    }
  }

  /** The state line, once a commit. At rest it tells what the whole task has cost. */
  #showTransition(): void {
    if (this.#shown === undefined) return;
    const { commit, snapshot } = this.#shown;
    this.#shown = undefined;
    const before = topOf(commit.before);
    const after = topOf(commit.after);
    if (before === after) return;
    const used = this.#takeRequestUsage();
    const told =
      after === "idle" || after === "resumable" ? `  (in all ${sayUsage(snapshot.context.total)})` : used;
    // A turn of the model begins: its lines stand together.
    if (after === "streaming") this.#writer.line("");
    this.#writer.line(this.#style.dim(`-- ${before} -> ${after}${told}`));
  }

  #takeRequestUsage(): string {
    const usage = this.#requestUsage;
    this.#requestUsage = "";
    return usage === "" ? "" : `  (${usage})`;
  }

  #showWaiting(path: string): void {
    if (path === "streaming.preparing" || path === "streaming.receiving") {
      this.#writer.passing("... waiting for the model");
    }
  }
}

const isAmended = (event: LogEvent, ts: number): boolean =>
  event.type === "message.amended" && event.ts === ts;
const topOf = (path: string): string => path.split(".", 1)[0] ?? path;
