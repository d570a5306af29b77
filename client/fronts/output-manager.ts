import type { Writable } from "node:stream";
import { type ClineMessage, positionOf } from "../../machines/message/index.ts";
import type { Task, TaskCommit } from "../../runtime/index.ts";
import { suffixOf } from "../suffix.ts";
import { hush } from "./hush.ts";
import { type Job, Outlet, type Pen } from "./outlet.ts";
import { printable, printableOutput } from "./printable.ts";
import { rowChanges } from "./row-changes.ts";
import { RowText } from "./row-text.ts";
import { type RowForm, type TextForm, textForm } from "./text-form.ts";

/** The most that is written at once, in UTF-16 units: a reader that is slow holds back what follows. */
const WRITE_MAX_CHARS = 65_536;

export interface OutputManagerOptions {
  readonly stdout: Writable;
  /** Where errors go. Default: `stdout`. */
  readonly stderr?: Writable;
  /** How rows are shown. Default {@link textForm}. */
  readonly form?: TextForm;
  /** Whether the first row of a task, the prompt, is shown. Default false: whoever reads has said it. */
  readonly echoPrompt?: boolean;
  /** Whether text is written as it came, control characters too. Default false: it is made {@link printable}. */
  readonly raw?: boolean;
  /**
   * Whether nobody else may write to these streams, until {@link OutputManager.close}: not `console`, not a library.
   * A function is given what they would have written. Default false.
   */
  readonly quiet?: boolean | ((text: string) => void);
  /** Told of a stream that failed: its reader has gone away. Default: nobody is told. */
  readonly onError?: (error: Error) => void;
}

/** One row, or the rows that show one command's output. */
interface Shown {
  readonly text: RowText;
  header: string;
  readonly isOutput: boolean;
  isWhole: boolean;
  isEnded: boolean;
}

/** What is known of one task's rows. */
interface Scope {
  readonly rows: Map<string, Shown>;
  /** The output row that the next `say:command_output` goes on with. */
  output: string | undefined;
  isBegun: boolean;
}

/**
 * Shows rows as text, to people or to a pipe: what streams as it comes, and nothing twice, however often a row is
 * given. It writes no faster than the reader reads; what grows meanwhile is written in one go, so that what waits is
 * never more than the rows' own text, and nothing is lost.
 *
 * What was written of a row, joined, is its text. Paper can't be taken back: a row whose new text does not go on from
 * the old one is written once more, whole, under its header and the word `(again)`.
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
  readonly #out: Outlet;
  readonly #error: Outlet;
  readonly #form: TextForm;
  readonly #clean: (text: string) => string;
  readonly #cleanOutput: (text: string) => string;
  readonly #echoPrompt: boolean;
  readonly #scopes = new Map<string, Scope>();
  readonly #unhush: readonly (() => void)[];

  constructor(options: OutputManagerOptions) {
    const { stdout, stderr = stdout, form = textForm, onError = () => undefined } = options;
    const { echoPrompt = false, raw = false, quiet = false } = options;
    this.#out = new Outlet(stdout, onError);
    this.#error = stderr === stdout ? this.#out : new Outlet(stderr, onError);
    this.#form = form;
    this.#clean = raw ? (text) => text : printable;
    this.#cleanOutput = raw ? this.#clean : printableOutput;
    this.#echoPrompt = echoPrompt;
    const instead = typeof quiet === "function" ? quiet : () => undefined;
    this.#unhush =
      quiet === false ? [] : [...new Set([stdout, stderr])].map((stream) => hush(stream, instead));
  }

  /** Nobody reads any more. */
  get isGone(): boolean {
    return this.#out.isGone;
  }

  /**
   * Shows what is new of a row: as it is appended, and again after each change. `ts` are told apart within one task only:
   * whoever shows more than one names them.
   */
  show(row: ClineMessage, taskId = ""): void {
    const scope = this.#scope(taskId);
    const isPrompt = !scope.isBegun && row.type === "say" && row.say === "text";
    scope.isBegun = true;
    const noted = this.#note(row, scope);
    if (noted === undefined) return;
    const { form, entry } = noted;
    if (isPrompt) entry.header = "[user] ";
    if (isPrompt && !this.#echoPrompt) this.#markSkipped(entry);
    else if (form.isStreamed || form.isWhole) this.#put(entry, form);
  }

  /** Counts a row as shown. */
  skip(row: ClineMessage, taskId = ""): void {
    const scope = this.#scope(taskId);
    scope.isBegun = true;
    const noted = this.#note(row, scope);
    if (noted !== undefined) this.#markSkipped(noted.entry);
  }

  /**
   * Shows the rows of a task from now on; of those that it has already, the ones from position `from` on: by default
   * none. The function it gives ends that.
   */
  attach(task: Task, { from = task.log.length }: { readonly from?: number } = {}): () => void {
    let position = 0;
    for (const row of task.log) {
      if (position < from) this.skip(row, task.id);
      else this.show(row, task.id);
      position += 1;
    }
    const forget = (): void => {
      this.#scopes.delete(task.id);
    };
    const subscription = task.events$.subscribe({
      next: (shown) => this.#take(shown, task.id),
      complete: forget,
    });
    return () => {
      subscription.unsubscribe();
      forget();
    };
  }

  /** Writes text behind what waits, where the last one ended: a question, or what belongs to it. */
  write(text: string): void {
    this.#out.put({}, { next: () => ({ text, hasMore: false }) });
  }

  /** Writes a line of its own, to where errors go with `error`. */
  line(text: string, to: "out" | "error" = "out"): void {
    const clean = this.#clean(text);
    const outlet = this.#outletOf(to);
    outlet.put(
      {},
      { next: ({ isInLine }) => ({ text: `${isInLine ? "\n" : ""}${clean}\n`, hasMore: false }) },
    );
  }

  /** To be told when somebody else has ended the line, as a terminal does that shows what is typed. */
  lineEnded(): void {
    this.#out.lineEnded();
  }

  /** Resolves when the streams have taken all that waits, or nobody reads any more. */
  async flushed(): Promise<void> {
    await Promise.all([this.#out.flushed(), this.#error.flushed()]);
  }

  /** Writes what waits and lets others write again. The streams stay open. */
  async close(): Promise<void> {
    this.#out.put({}, FRESH_LINE);
    await this.flushed();
    for (const end of this.#unhush) end();
  }

  /** A row that only grew costs what it grew by. */
  #take({ commit, snapshot }: TaskCommit, taskId: string): void {
    const { log } = snapshot.context;
    const rowOf = (ts: number): ClineMessage | undefined => log.at(positionOf(log, ts));
    const { grown, changed } = rowChanges(commit.log);
    for (const [ts, text] of grown) {
      const row = rowOf(ts);
      if (row !== undefined) this.#grow(row, text, taskId);
    }
    for (const ts of changed) {
      const row = rowOf(ts);
      if (row !== undefined) this.show(row, taskId);
    }
  }

  #grow(row: ClineMessage, text: string, taskId: string): void {
    const entry = this.#scope(taskId).rows.get(keyOf(row));
    const form = this.#form(row);
    if (entry === undefined || form === undefined || !form.isStreamed) {
      this.show(row, taskId);
      return;
    }
    entry.text.grow(text);
    this.#put(entry, form);
  }

  #scope(taskId: string): Scope {
    const known = this.#scopes.get(taskId);
    if (known !== undefined) return known;
    const made: Scope = { rows: new Map(), output: undefined, isBegun: false };
    this.#scopes.set(taskId, made);
    return made;
  }

  #note(row: ClineMessage, scope: Scope): { readonly form: RowForm; readonly entry: Shown } | undefined {
    const form = this.#form(row);
    if (form === undefined) return undefined;
    const key = this.#keyIn(scope, row);
    const entry = scope.rows.get(key) ?? newShown(form);
    scope.rows.set(key, entry);
    if (form.isStreamed || form.isWhole) entry.text.set(form.text);
    entry.isWhole ||= form.isWhole;
    if (!form.isStreamed) entry.header = form.header;
    return { form, entry };
  }

  /** The end of a command says again what it wrote: it is the same text, going on. */
  #keyIn(scope: Scope, row: ClineMessage): string {
    const own = keyOf(row);
    if (row.ask === "command_output") scope.output = own;
    if (row.say !== "command_output" || scope.output === undefined || scope.rows.has(own)) return own;
    const goesOn = scope.output;
    const entry = scope.rows.get(goesOn);
    scope.output = undefined;
    if (entry === undefined || suffixOf(entry.text.text, row.text ?? "") === undefined) return own;
    scope.rows.set(own, entry);
    return own;
  }

  #markSkipped(entry: Shown): void {
    entry.text.skip();
    entry.isEnded = entry.isWhole;
  }

  #put(entry: Shown, form: RowForm): void {
    this.#outletOf(form.to).put(entry, { next: (pen) => this.#next(entry, pen) });
  }

  /** Whoever sees both streams in one place sees an error on a line of its own. */
  #outletOf(to: RowForm["to"]): Outlet {
    if (to !== "error") return this.#out;
    if (this.#error !== this.#out) this.#out.put({}, FRESH_LINE);
    return this.#error;
  }

  #next(entry: Shown, { isInLine, owner }: Pen): ReturnType<Job["next"]> {
    const { text, isAnew } = entry.text.take(WRITE_MAX_CHARS, entry.isWhole);
    const goesOn = owner === entry && !isAnew && !entry.isEnded;
    const isOver = entry.isWhole && entry.text.isTaken;
    const isLine = isOver && !entry.isEnded && !entry.header.endsWith(" ");
    if (isOver) entry.isEnded = true;
    if (text === "" && (goesOn || !isLine)) {
      return { text: isOver && goesOn && isInLine ? "\n" : "", hasMore: false };
    }
    const lead = goesOn ? "" : `${isInLine ? "\n" : ""}${entry.header}${isAnew ? "(again) " : ""}`;
    const shown = lead + (entry.isOutput ? this.#cleanOutput(text) : this.#clean(text));
    return { text: isOver && !shown.endsWith("\n") ? `${shown}\n` : shown, hasMore: !entry.text.isTaken };
  }
}

const FRESH_LINE: Job = { next: ({ isInLine }) => ({ text: isInLine ? "\n" : "", hasMore: false }) };

const newShown = ({ header, isOutput = false }: RowForm): Shown => ({
  text: new RowText(),
  header,
  isOutput,
  isWhole: false,
  isEnded: false,
});

/** Foreign logs may give two rows of different kinds one `ts`. */
const keyOf = (row: ClineMessage): string => `${row.ts} ${row.type} ${row.ask ?? row.say}`;
