import { plural } from "../../../present/plural.ts";
import { CommitMonitor } from "../../../verify/monitor/commits.ts";
import { type Checked, MONITORED_LAWS, type MonitoredLaw } from "../../../verify/monitor/monitored-laws.ts";
import type { CommitRecord } from "../../../wire/journal/record.ts";
import type { Counterexample } from "../../trace/counterexample.ts";
import type { TraceReader } from "../../trace/moment.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";

/** A law that an event broke. */
export interface BrokenLaw {
  /** The event. */
  readonly seq: number;
  readonly law: string;
  readonly expected: string;
  /** The value that was found. */
  readonly came: string;
}

/** The check of the laws on a trace of fixed length. */
export interface CheckedLaws {
  /** Whether all events are checked. If not, `broken` and `checked` are about the first of them. */
  readonly isComplete: boolean;
  /** In order. Only the first of consecutive commits that break a law is in it. */
  readonly broken: readonly BrokenLaw[];
  readonly checked: Checked;
}

const NONE: readonly never[] = [];

/** Whether no law is about a record. Many records only have the progress of a call. */
const changesNothing = ({ before, after, log, conversation, effects }: CommitRecord): boolean =>
  before === after && log.length === 0 && conversation.length === 0 && effects.length === 0;

/** Checks the laws on a growing trace: each event once, in as many steps as the caller takes. */
export class LawIndex {
  readonly #trace: TraceReader;
  readonly #monitor = new CommitMonitor();
  readonly #broken: BrokenLaw[] = [];
  /** The events that were checked. */
  #events = 0;
  /** The violations that were read. */
  #read = 0;
  /** The laws that the newest commit broke. */
  #last: readonly string[] = NONE;

  constructor(trace: TraceReader) {
    this.#trace = trace;
  }

  /** Check at most `max` more events. Returns whether all are checked. */
  check(max: number): boolean {
    const end = Math.min(this.#trace.length, this.#events + max);
    for (; this.#events < end; this.#events += 1) this.#check(this.#trace.event(this.#events));
    return end === this.#trace.length;
  }

  /** The laws of the checked events. Later events do not change them. */
  found(): CheckedLaws {
    return {
      isComplete: this.#events === this.#trace.length,
      broken: [...this.#broken],
      checked: this.#monitor.checked,
    };
  }

  /** Note the laws that an event broke, without those that the commit before it broke as well. */
  #check({ seq, record }: TraceEvent): void {
    if (record.kind !== "commit" || changesNothing(record)) return;
    this.#monitor.addCommit(record);
    const { violations } = this.#monitor;
    const last = this.#last;
    this.#last = NONE;
    if (violations.length === this.#read) return;
    const found = violations.slice(this.#read);
    this.#read = violations.length;
    this.#last = found.map(({ law }) => law);
    for (const { law, expected, came } of found)
      if (!last.includes(law)) this.#broken.push({ seq, law, expected, came });
  }
}

/** A law, and whether it holds in a trace. */
export interface LawStatus {
  readonly id: string;
  /** Absent: no trace is checked against the law, and a counterexample breaks it. */
  readonly name?: string;
  readonly title: string;
  /** `checking`: not all events are checked yet. `unchecked`: the trace has nothing that the law is about. */
  readonly status: "holds" | "broken" | "checking" | "unchecked";
  /** The events that break it. */
  readonly events: readonly number[];
  /** The number of checked things, in words. The violation, for a counterexample that only an exploration finds. */
  readonly fact: string;
}

/** The laws that a trace is checked against, and the law that a counterexample breaks. `isDerived`: no machine ran. */
export function lawStatuses(
  laws: CheckedLaws,
  {
    counterexample,
    isDerived = false,
  }: { counterexample?: Counterexample | undefined; isDerived?: boolean } = {},
): readonly LawStatus[] {
  const broken = brokenIn(laws, counterexample);
  const monitored = Object.entries<MonitoredLaw>(MONITORED_LAWS).map(
    ([id, { name, title, of }]): LawStatus => {
      const events = broken.filter(({ law }) => law === id).map(({ seq }) => seq);
      const isBroken = events.length > 0 || counterexample?.law === id;
      // Where no machine ran, the state of a commit is the derived one: L1 would prove itself.
      const count = isDerived && id === "L1" ? 0 : laws.checked[of];
      return {
        id,
        name,
        title,
        status: isBroken ? "broken" : statusOf(count, laws.isComplete),
        events,
        fact: count > 0 ? plural(count, NOUNS[of]) : `no ${isDerived && id === "L1" ? "machine" : NOUNS[of]}`,
      };
    },
  );
  if (counterexample === undefined || counterexample.law in MONITORED_LAWS) return monitored;
  const { law: id, title, seq, what } = counterexample;
  return [...monitored, { id, title, status: "broken", events: seq === undefined ? [] : [seq], fact: what }];
}

/** The status of a law that is not broken, so far checked on `count` things. */
function statusOf(count: number, isComplete: boolean): LawStatus["status"] {
  if (!isComplete) return "checking";
  return count > 0 ? "holds" : "unchecked";
}

/** The law that an event breaks: the law of the counterexample, or else the first that the check found. */
export function lawBrokenAt(
  laws: CheckedLaws,
  at: number,
  counterexample?: Counterexample,
): BrokenLaw | undefined {
  const found = brokenIn(laws, counterexample).filter(({ seq }) => seq === at);
  return found.find(({ law }) => law === counterexample?.law) ?? found[0];
}

/** The broken laws, and the law that the counterexample breaks unless the check found it: the check has more details. */
function brokenIn({ broken }: CheckedLaws, counterexample?: Counterexample): readonly BrokenLaw[] {
  if (counterexample?.seq === undefined) return broken;
  const { seq, law, title, what } = counterexample;
  const isFound = broken.some((one) => one.seq === seq && one.law === law);
  return isFound ? broken : [...broken, { seq, law, expected: title, came: what }];
}

const NOUNS = {
  commits: "commit",
  changes: "change",
  messages: "message",
  requests: "request",
  asks: "ask",
  sent: "sent conversation",
} as const satisfies Readonly<Record<keyof Checked, string>>;
