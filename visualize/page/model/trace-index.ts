import type { AgentLoopState } from "../../../machines/index.ts";
import type { TraceReader } from "../../../trace/index.ts";
import { timeOf, wordsOf } from "./event-words.ts";
import { topOf } from "./state.ts";

/** Events one after another that leave the task in the same of the six states. */
export interface Stretch {
  readonly state: AgentLoopState;
  readonly from: number;
  /** The last of them. */
  readonly to: number;
}

/** What the task had used after an event. */
export interface Spent {
  readonly seq: number;
  readonly at: number;
  readonly cost: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/** What the page looks up in a trace again and again. It grows with the trace: each event is read once. */
export class TraceIndex {
  /** The machine's state after each event, as a dotted path. */
  readonly paths: string[] = [];
  /** When each event happened. */
  readonly times: number[] = [];
  readonly stretches: Stretch[] = [];
  readonly spent: Spent[] = [];
  readonly #trace: TraceReader;
  readonly #words: string[] = [];

  constructor(trace: TraceReader) {
    this.#trace = trace;
  }

  /** Reads what the trace has grown by. */
  update(): this {
    for (let seq = this.paths.length; seq < this.#trace.length; seq += 1) this.#read(seq);
    return this;
  }

  /** The nearest place in this direction where another of the six states begins, or the end there. */
  change(at: number, step: 1 | -1): number {
    const place = this.stretches.findIndex(({ from, to }) => from <= at && at <= to);
    const here = this.stretches[place];
    if (here === undefined) return at;
    if (step === 1) return this.stretches[place + 1]?.from ?? here.to;
    return at > here.from ? here.from : (this.stretches[place - 1]?.from ?? 0);
  }

  /** The places whose events hold all of these words. */
  find(query: string): readonly number[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    for (let seq = this.#words.length; seq < this.paths.length; seq += 1)
      this.#words.push(wordsOf(this.#trace.event(seq)));
    return this.#words.flatMap((text, seq) => (words.every((word) => text.includes(word)) ? [seq] : []));
  }

  #read(seq: number): void {
    const event = this.#trace.event(seq);
    const { record } = event;
    const path = record.kind === "commit" ? record.after : (this.paths.at(-1) ?? "no_task");
    this.paths.push(path);
    this.times.push(timeOf(event));
    const state = topOf(path);
    const last = this.stretches.at(-1);
    if (last?.state === state) this.stretches[this.stretches.length - 1] = { ...last, to: seq };
    else this.stretches.push({ state, from: seq, to: seq });
    const total = record.kind === "commit" ? record.facts?.total : undefined;
    if (total !== undefined)
      this.spent.push({
        seq,
        at: timeOf(event),
        cost: total.cost,
        tokensIn: total.tokensIn,
        tokensOut: total.tokensOut,
      });
  }
}
