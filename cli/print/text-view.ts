import type { ClineMessage } from "../../machines/message/index.ts";
import type { Output } from "../io.ts";
import {
  descriptorOf,
  type OutputWriter,
  printable,
  printableOutput,
  RowFeed,
  type RowSink,
  sayRetry,
} from "../show/index.ts";

/** What streams, and its header. */
const STREAMED: ReadonlyMap<string | undefined, string> = new Map([
  ["text", "[assistant] "],
  ["reasoning", "[reasoning] "],
  ["command_output", "[command output] "],
]);

/** Prints a task's rows under headers, for a log or a pipe. The prompt is not printed. */
export class TextView implements RowSink {
  readonly #writer: OutputWriter;
  readonly #stderr: Output;
  readonly #feed = new RowFeed(this);
  /** The row under whose header the last text stands. */
  #current: number | undefined;
  #hasPrompt = false;
  /** The result of a subtask, which is printed already. */
  #heard: string | undefined;
  #output = "";

  constructor(writer: OutputWriter, stderr: Output) {
    this.#writer = writer;
    this.#stderr = stderr;
  }

  show(shown: Parameters<RowFeed["take"]>[0]): void {
    this.#feed.take(shown);
  }

  /** A subtask has printed this result: it is not printed again. */
  heard(result: string): void {
    this.#heard = result;
  }

  begun(row: ClineMessage): void {
    if (row.ask === "command_output") this.#output = "";
  }

  grown(row: ClineMessage, text: string): void {
    const header = headerOf(row);
    if (header === undefined || !this.#hasPrompt) return;
    if (row.ask === "command_output") this.#output += text;
    this.#stream(row.ts, header, row.ask === "command_output" ? printableOutput(text) : printable(text));
  }

  redrawn(): void {}

  ended(row: ClineMessage): void {
    if (row.closing === "withdrawn") return;
    const text = row.text ?? "";
    if (row.type === "ask") this.#endAsk(row.ask, text);
    else this.#endSay(row, text);
  }

  #endAsk(ask: ClineMessage["ask"], text: string): void {
    switch (ask) {
      case "tool":
        this.#line(`[Tool Request] ${sayCall(text)}`);
        break;
      case "command":
        this.#line(`[command request] ${text}`);
        break;
      case "use_mcp_server":
        this.#line(`[mcp request] ${text}`);
        break;
      case "followup":
        this.#line(`[question] ${text}`);
        break;
      case "api_req_failed":
        this.#line(`[api request failed] ${text}`);
        break;
      case "mistake_limit_reached":
        this.#line(`[mistake limit reached] ${text}`);
        break;
      case "auto_approval_max_req_reached":
        this.#line(`[auto-approval limit reached] ${text}`);
        break;
      case "resume_task":
      case "resume_completed_task":
        this.#line("[Resume Task]");
        break;
      default:
        break;
    }
  }

  #endSay(row: ClineMessage, text: string): void {
    switch (row.say) {
      case "text":
        this.#hasPrompt = true;
        this.#writer.freshLine();
        break;
      case "reasoning":
        this.#writer.freshLine();
        break;
      case "command_output":
        // What of the whole output has been streamed is not printed again.
        if (text.startsWith(this.#output)) {
          this.#stream(row.ts, "[command output] ", printableOutput(text.slice(this.#output.length)));
        }
        this.#output = "";
        this.#writer.freshLine();
        break;
      case "completion_result":
        this.#line(`[task complete] ${text}`);
        break;
      case "subtask_result":
        this.#line(text === this.#heard ? "[subtask ended]" : `[subtask ended] ${text}`);
        this.#heard = undefined;
        break;
      case "error":
        this.#error(text);
        break;
      case "api_req_retry_delayed":
        this.#error(sayRetry(text));
        break;
      default:
        break;
    }
  }

  #stream(row: number, header: string, text: string): void {
    if (text === "") return;
    if (this.#current !== row) {
      this.#writer.freshLine();
      this.#writer.write(header);
      this.#current = row;
    }
    this.#writer.write(text);
  }

  #line(text: string): void {
    this.#current = undefined;
    this.#writer.line(printable(text));
  }

  #error(text: string): void {
    this.#writer.freshLine();
    this.#stderr.write(`[error] ${printable(text)}\n`);
  }
}

const headerOf = (row: ClineMessage): string | undefined =>
  row.type === "say" && row.say === "command_output" ? undefined : STREAMED.get(row.say ?? row.ask);

function sayCall(text: string): string {
  const descriptor = descriptorOf(text);
  if (descriptor === undefined) return text;
  const what = descriptor.path ?? descriptor.mode;
  return what === undefined ? descriptor.tool : `${descriptor.tool} ${what}`;
}
