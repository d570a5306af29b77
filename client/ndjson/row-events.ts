import { type ClineMessage, isRequestRow } from "../../machines/message/index.ts";
import { CommandEvents } from "./command-events.ts";
import type { CostMeter } from "./cost.ts";
import { changeOf } from "./delta.ts";
import type { Line } from "./line.ts";
import { kindOf, type RowKind } from "./row-kind.ts";

/** A row that streams. */
interface Growing {
  readonly kind: RowKind;
  text: string;
}

/** Asks that stop nobody, or that are told with a result. */
const ANSWERED_ELSEWHERE: ReadonlySet<string> = new Set(["command_output", "completion_result"]);

/**
 * Tells the rows of one task as events: of a row that streams what is new, then the whole row once. A row that was told
 * whole is not told again.
 */
export class RowEvents {
  readonly commands: CommandEvents;
  readonly #tell: (line: Line) => void;
  readonly #cost: CostMeter;
  readonly #growing = new Map<number, Growing>();
  readonly #told = new Set<number>();
  #awaitsPrompt: boolean;
  #completion = "";
  #assistant = "";

  /** @param awaitsPrompt the first text is the prompt, and not the agent's */
  constructor(tell: (line: Line) => void, cost: CostMeter, awaitsPrompt: boolean) {
    this.#tell = tell;
    this.#cost = cost;
    this.#awaitsPrompt = awaitsPrompt;
    this.commands = new CommandEvents(tell);
  }

  /** What was said before the rows that are told. */
  recall(log: Iterable<ClineMessage>): void {
    for (const row of log) if (row.say === "completion_result") this.#completed(row);
  }

  /** What the task came to, as far as its rows tell: its result, else its last words. */
  get result(): string {
    return this.#completion === "" ? this.#assistant : this.#completion;
  }

  /** A row that is new, or as it is now. */
  row(row: ClineMessage): void {
    if (isRequestRow(row)) this.#cost.note(row);
    else if (row.say === "completion_result" || row.ask === "completion_result") this.#completed(row);
    else if (!this.commands.row(row)) this.#follow(row);
  }

  /** The row `ts` has grown by `suffix`; false where it is not known to grow. */
  grown(ts: number, suffix: string, row: ClineMessage): boolean {
    const growing = this.#growing.get(ts);
    if (growing === undefined) return this.commands.grown(ts, suffix);
    // The row has the same text: one copy will do.
    this.#piece(growing, row, row.text ?? "", suffix);
    return true;
  }

  #completed({ text, partial }: ClineMessage): void {
    if (text && partial !== true) this.#completion = text;
  }

  #follow(row: ClineMessage): void {
    if (this.#told.has(row.ts)) return;
    const growing = this.#growing.get(row.ts);
    const kind = growing?.kind ?? kindOf(row, this.#isPrompt(row));
    if (kind === undefined) return;
    if (row.partial === true) this.#grow(growing ?? this.#begin(row, kind), row);
    else this.#end(row, kind, growing);
  }

  /** The first text is the prompt: one that streams is none. */
  #isPrompt({ say, partial }: ClineMessage): boolean {
    if (!this.#awaitsPrompt || say !== "text") return false;
    this.#awaitsPrompt = false;
    return partial !== true;
  }

  #begin(row: ClineMessage, kind: RowKind): Growing {
    const growing = { kind, text: "" };
    this.#growing.set(row.ts, growing);
    return growing;
  }

  #grow(growing: Growing, row: ClineMessage): void {
    const text = row.text ?? "";
    const { kind, delta } = changeOf(growing.text, text);
    if (kind === "growth") this.#piece(growing, row, text, delta);
    else this.#change(growing, row, text, { kind, delta });
  }

  #piece(growing: Growing, row: ClineMessage, text: string, delta: string): void {
    if (delta !== "") this.#change(growing, row, text, { kind: "growth", delta });
  }

  #change(growing: Growing, row: ClineMessage, after: string, change: ReturnType<typeof changeOf>): void {
    const before = growing.text;
    growing.text = after;
    const { piece } = growing.kind;
    if (piece === undefined) return;
    this.#tell({ of: growing, before, after, change, make: (delta) => piece(row, delta) });
  }

  #end(row: ClineMessage, kind: RowKind, growing: Growing | undefined): void {
    this.#growing.delete(row.ts);
    this.#told.add(row.ts);
    const wasTold = growing !== undefined && growing.text !== "";
    // What was withdrawn before anybody heard of it never was.
    if (row.closing === "withdrawn" && !wasTold) return;
    const event = kind.whole(row);
    if (event === undefined) return;
    if (event.type === "assistant" && event.subtype === undefined) this.#assistant = row.text ?? "";
    this.#tell({ event: isOpen(row) ? { ...event, askId: row.ts } : event });
  }
}

/** Whether somebody may answer it. */
const isOpen = ({ type, ask, closing, isAnswered }: ClineMessage): boolean =>
  type === "ask" && closing === undefined && isAnswered !== true && !ANSWERED_ELSEWHERE.has(ask ?? "");
