import type { Writable } from "node:stream";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { messageChanges } from "../../../runtime/task/message-changes.ts";
import type { Task } from "../../../runtime/task/task.ts";
import type { TaskCommit } from "../../../runtime/task/task-view.ts";
import { printable, printableOutput } from "../../printable/printable.ts";
import { suffixOf } from "../../text-change.ts";
import { messageKey } from "../extension/message-list.ts";
import { formatMessage, type MessageFormat, type MessageFormatter } from "./message-format.ts";
import { captureWrites, StreamWriter, type WriteJob, type WriteState } from "./stream-writer.ts";
import { StreamedText } from "./streamed-text.ts";

/** Maximum UTF-16 units of one write: a slow reader delays the next one. */
const WRITE_MAX_CHARS = 65_536;

/** Options of an {@link OutputManager}. */
export interface OutputManagerOptions {
  readonly stdout: Writable;
  /** Stream for errors. Default: `stdout`. */
  readonly stderr?: Writable;
  /** Formats messages. Default {@link formatMessage}. */
  readonly format?: MessageFormatter;
  /** Whether the first message of a task, the prompt, is shown. Default false. */
  readonly echoPrompt?: boolean;
  /** Whether text is written unchanged, with control characters. Default false: control characters are escaped. */
  readonly raw?: boolean;
  /**
   * Whether other code, such as `console`, is kept from writing to these streams until {@link OutputManager.close}.
   * A function receives what it would have written. Default false.
   */
  readonly quiet?: boolean | ((text: string) => void);
  /** Called with the error of a stream whose reader has closed it. Default: ignored. */
  readonly onError?: (error: Error) => void;
}

/** Options of {@link OutputManager.attach}. */
interface AttachOptions {
  /** The position of the first message that is shown. Default: none of the present ones is. */
  readonly from?: number;
  /** Formats the messages of the task. Default: the format of the manager. */
  readonly format?: MessageFormatter;
}

/** A message, or the messages of one command's output. */
interface ShownMessage {
  readonly text: StreamedText;
  header: string;
  readonly isOutput: boolean;
  isComplete: boolean;
  isEnded: boolean;
}

/** The messages of one task. */
interface Scope {
  readonly format: MessageFormatter;
  readonly messages: Map<string, ShownMessage>;
  /** The output that the next `say:command_output` continues. */
  output: string | undefined;
  isBegun: boolean;
}

/**
 * Writes messages as text to a terminal or a pipe: streamed text as it arrives, and nothing twice, however often a message
 * is passed. It writes with backpressure: text that grows while the stream is full is written at once later, so the queue
 * never exceeds the text of the messages, and nothing is lost.
 *
 * The joined output of a message is its text. Output can't be undone: a message whose new text does not continue the old
 * one is written again in full, under its header and the word `(again)`.
 *
 * @example
 * ```ts
 * import { OutputManager } from "signalbox/client";
 * const output = new OutputManager({ stdout: process.stdout, echoPrompt: true });
 * output.show({ ts: 1, type: "say", say: "text", text: "Greet me" }); // [user] Greet me
 * output.show({ ts: 2, type: "say", say: "text", text: "Hel", partial: true });
 * output.show({ ts: 2, type: "say", say: "text", text: "Hello", partial: false }); // [assistant] Hello
 * ```
 */
export class OutputManager {
  readonly #out: StreamWriter;
  readonly #error: StreamWriter;
  readonly #format: MessageFormatter;
  readonly #clean: (text: string) => string;
  readonly #cleanOutput: (text: string) => string;
  readonly #echoPrompt: boolean;
  readonly #scopes = new Map<string, Scope>();
  readonly #releases: readonly (() => void)[];

  constructor(options: OutputManagerOptions) {
    const { stdout, stderr = stdout, format = formatMessage, onError = () => undefined } = options;
    const { echoPrompt = false, raw = false, quiet = false } = options;
    this.#out = new StreamWriter(stdout, onError);
    this.#error = stderr === stdout ? this.#out : new StreamWriter(stderr, onError);
    this.#format = format;
    this.#clean = raw ? (text) => text : printable;
    this.#cleanOutput = raw ? this.#clean : printableOutput;
    this.#echoPrompt = echoPrompt;
    const instead = typeof quiet === "function" ? quiet : () => undefined;
    this.#releases =
      quiet === false ? [] : [...new Set([stdout, stderr])].map((stream) => captureWrites(stream, instead));
  }

  /** Whether the reader has closed the stream. */
  get isGone(): boolean {
    return this.#out.isGone;
  }

  /**
   * Write what is new of a message, after it was appended and after each change. A `ts` is unique within one task only:
   * pass `taskId` to show several tasks.
   */
  show(message: ClineMessage, taskId = ""): void {
    const scope = this.#scope(taskId);
    const isPrompt = !scope.isBegun && message.type === "say" && message.say === "text";
    scope.isBegun = true;
    const noted = this.#note(message, scope);
    if (noted === undefined) return;
    const { form, entry } = noted;
    if (isPrompt) entry.header = "[user] ";
    if (isPrompt && !this.#echoPrompt) this.#markSkipped(entry);
    else if (form.isStreamed || form.isComplete) this.#put(entry, form);
  }

  /** Count a message as written. */
  skip(message: ClineMessage, taskId = ""): void {
    const scope = this.#scope(taskId);
    scope.isBegun = true;
    const noted = this.#note(message, scope);
    if (noted !== undefined) this.#markSkipped(noted.entry);
  }

  /**
   * Show the messages of a task from now on, and its present messages from position `from` on, by default none. The
   * returned function detaches it. A message whose format is not streamed at first may be streamed later.
   */
  attach(task: Task, { from = task.log.length, format = this.#format }: AttachOptions = {}): () => void {
    this.#scopes.set(task.id, newScope(format));
    let position = 0;
    for (const message of task.log) {
      if (position < from) this.skip(message, task.id);
      else this.show(message, task.id);
      position += 1;
    }
    const forget = (): void => {
      this.#scopes.delete(task.id);
    };
    const subscription = task.events$.subscribe({
      next: (commit) => this.#apply(commit, task.id),
      complete: forget,
    });
    return () => {
      subscription.unsubscribe();
      forget();
    };
  }

  /** Write text after the queued text, at the current position: a question, for example. */
  write(text: string): void {
    this.#out.put({}, { next: () => ({ text, hasMore: false }) });
  }

  /** Write a separate line to standard output or error. */
  line(text: string, to: "out" | "error" = "out"): void {
    const clean = this.#clean(text);
    const writer = this.#writerOf(to);
    writer.put(
      {},
      { next: ({ isInLine }) => ({ text: `${isInLine ? "\n" : ""}${clean}\n`, hasMore: false }) },
    );
  }

  /** Notify that other code has ended the line, as a terminal does that echoes input. */
  lineEnded(): void {
    this.#out.lineEnded();
  }

  /** Resolves when the streams have taken all queued text, or are closed. */
  async flushed(): Promise<void> {
    await Promise.all([this.#out.flushed(), this.#error.flushed()]);
  }

  /** Write queued text and release the streams. They stay open. */
  async close(): Promise<void> {
    this.#out.put({}, FRESH_LINE);
    await this.flushed();
    for (const end of this.#releases) end();
  }

  #apply({ commit, snapshot }: TaskCommit, taskId: string): void {
    for (const { message, grownBy } of messageChanges(snapshot.context.log, commit.log)) {
      if (grownBy === undefined) this.show(message, taskId);
      else this.#grow(message, grownBy, taskId);
    }
  }

  #grow(message: ClineMessage, text: string, taskId: string): void {
    const scope = this.#scope(taskId);
    const entry = scope.messages.get(messageKey(message));
    const form = scope.format(message);
    // A text that was not streamed before is known up to an earlier position.
    const isNext = entry?.text.text.length === (message.text ?? "").length - text.length;
    if (entry === undefined || form === undefined || !form.isStreamed || !isNext) {
      this.show(message, taskId);
      return;
    }
    entry.text.grow(text);
    this.#put(entry, form);
  }

  #scope(taskId: string): Scope {
    const known = this.#scopes.get(taskId);
    if (known !== undefined) return known;
    const made = newScope(this.#format);
    this.#scopes.set(taskId, made);
    return made;
  }

  #note(
    message: ClineMessage,
    scope: Scope,
  ): { readonly form: MessageFormat; readonly entry: ShownMessage } | undefined {
    const form = scope.format(message);
    if (form === undefined) return undefined;
    const key = this.#keyIn(scope, message);
    const entry = scope.messages.get(key) ?? newShown(form);
    scope.messages.set(key, entry);
    // A line that is written stays: an answered call has a reason that its question had.
    if (form.isStreamed || (form.isComplete && !entry.isEnded)) entry.text.set(form.text);
    entry.isComplete ||= form.isComplete;
    if (!form.isStreamed) entry.header = form.header;
    return { form, entry };
  }

  /** The final message of a command repeats its output: it continues the same text. */
  #keyIn(scope: Scope, message: ClineMessage): string {
    const own = messageKey(message);
    if (message.ask === "command_output") scope.output = own;
    if (message.say !== "command_output" || scope.output === undefined || scope.messages.has(own)) return own;
    const continued = scope.output;
    const entry = scope.messages.get(continued);
    scope.output = undefined;
    if (entry === undefined || suffixOf(entry.text.text, message.text ?? "") === undefined) return own;
    scope.messages.set(own, entry);
    return own;
  }

  #markSkipped(entry: ShownMessage): void {
    entry.text.skip();
    entry.isEnded = entry.isComplete;
  }

  #put(entry: ShownMessage, form: MessageFormat): void {
    this.#writerOf(form.to).put(entry, { next: (pen) => this.#next(entry, pen) });
  }

  /** Ends the line of the output first, for a terminal that shows both streams. */
  #writerOf(to: MessageFormat["to"]): StreamWriter {
    if (to !== "error") return this.#out;
    if (this.#error !== this.#out) this.#out.put({}, FRESH_LINE);
    return this.#error;
  }

  #next(entry: ShownMessage, { isInLine, owner }: WriteState): ReturnType<WriteJob["next"]> {
    const { text, isRestart } = entry.text.take(WRITE_MAX_CHARS, entry.isComplete);
    const isContinued = owner === entry && !isRestart && !entry.isEnded;
    const isOver = entry.isComplete && entry.text.isTaken;
    const isLine = isOver && !entry.isEnded && !entry.header.endsWith(" ");
    if (isOver) entry.isEnded = true;
    if (text === "" && (isContinued || !isLine)) {
      return { text: isOver && isContinued && isInLine ? "\n" : "", hasMore: false };
    }
    const lead = isContinued ? "" : `${isInLine ? "\n" : ""}${entry.header}${isRestart ? "(again) " : ""}`;
    const shown = lead + (entry.isOutput ? this.#cleanOutput(text) : this.#clean(text));
    return { text: isOver && !shown.endsWith("\n") ? `${shown}\n` : shown, hasMore: !entry.text.isTaken };
  }
}

const FRESH_LINE: WriteJob = { next: ({ isInLine }) => ({ text: isInLine ? "\n" : "", hasMore: false }) };

const newScope = (format: MessageFormatter): Scope => ({
  format,
  messages: new Map(),
  output: undefined,
  isBegun: false,
});

const newShown = ({ header, isOutput = false }: MessageFormat): ShownMessage => ({
  text: new StreamedText(),
  header,
  isOutput,
  isComplete: false,
  isEnded: false,
});
