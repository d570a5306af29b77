import type { LogEvent } from "../../../machines/message/log.ts";
import { hasNoWork, topState } from "../../../machines/message/states.ts";
import type { EffectKind } from "../../../machines/task/effect-kinds.ts";
import type { EffectEvent } from "../../../machines/task/task.events.ts";
import type { CommitRecord } from "../../../wire/journal/record.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";
import {
  type Bar,
  type BarLane,
  type ContextSize,
  type Quiet,
  type QuietReason,
  type TimelineTables,
  type Verdicts,
  WAITS,
} from "./lanes.ts";

/** The shortest wait that is noted, in milliseconds. */
export const QUIET_MIN_MS = 5_000;

/** The lane of each effect whose bar has the effect's kind. */
const LANE_OF = {
  opening: "setup",
  context: "setup",
  checkpoint: "setup",
  condense: "model",
  review: "checks",
  hook: "checks",
  tool: "tools",
  ask: "person",
  subtask: "subtasks",
} as const satisfies Partial<Record<EffectKind, BarLane>>;
/** The waits for a timer, by the state that starts it. Other timers are deadlines. */
const TIMERS: ReadonlyMap<string, "retry" | "pacing"> = new Map([
  ["running.retrying", "retry"],
  ["running.pacing", "pacing"],
]);
/** The events of a request that are no output of the model. */
const NO_OUTPUT: ReadonlySet<string> = new Set(["llm.usage", "llm.finished", "llm.failed"]);
/** The most rows of tools, and of subtasks. More of them share rows. */
const TOOL_ROWS_MAX = 4;
export const CHILD_ROWS_MAX = 8;
/** The keys of the bars of the state and of a request, beside the ids of actors. */
const STATE = "state";
const LLM = "llm";

/** Collects the activities of a trace. It grows with the trace: each event is read once. */
export class TimelineIndex {
  readonly #bars: Bar[] = [];
  /** The positions of the open bars, by actor. */
  readonly #open = new Map<string, number>();
  /** The position of each actor's latest bar: its messages may come after its end. */
  readonly #latest = new Map<string, number>();
  readonly #rows = new Map<BarLane, number>();
  /** The ids of the subtasks, by the calls that started them, and their rows. */
  readonly #children = new Map<string, string>();
  readonly #childRows = new Map<string, number>();
  readonly #quiet: Quiet[] = [];
  readonly #verdicts: Verdicts[] = [];
  readonly #context: ContextSize[] = [];
  /** The position of the bar that ended last. */
  #ended: number | undefined;
  /** The number of open bars that show work. */
  #working = 0;
  /** The ask, or another reason, of the open wait. */
  #waitsFor: string | undefined;
  #seq = 0;
  #at = 0;
  #path = "no_task";

  /** Read the next event, whose time is at least the time of the one before. A header gives no activity. */
  read(event: TraceEvent, at: number): void {
    const { record } = event;
    if (record.kind === "header") return;
    if (record.kind === "commit" && record.cause?.type === "task.recovered") this.#endProcess();
    this.#seq = event.seq;
    this.#at = at;
    if (record.kind === "commit") this.#note(record, event.from);
    this.#noteState();
    this.#noteQuiet();
  }

  /** The activities of the events that were read. Later events do not change them. */
  found(): TimelineTables {
    return {
      bars: [...this.#bars],
      rows: new Map(this.#rows),
      quiet: [...this.#quiet],
      verdicts: [...this.#verdicts],
      context: [...this.#context],
    };
  }

  /** The activities of a process end with its last event: the time of its end is not recorded. */
  #endProcess(): void {
    for (const key of [...this.#open.keys()]) if (key !== STATE) this.#stop(key);
    if (this.#waitsFor === undefined && this.#bars.length > 0) this.#startQuiet("gone", "gone");
  }

  #note({ after, cause, effects, calls, control = [], facts, log }: CommitRecord, from: string): void {
    const causedBy = this.#latest.get(from) ?? this.#ended;
    for (const call of calls) if (call.phase === "delegated") this.#children.set(call.callId, call.childId);
    if (cause !== undefined && this.#isFirstOutput(cause.type)) {
      const request = this.#stop(LLM);
      this.#start(LLM, { lane: "model", kind: "response" }, request);
    }
    this.#path = after;
    for (const effect of effects) {
      this.#stop(keyOf(effect));
      if (effect.type === "effect.started" && !(effect.effect === "ask" && log.some(isOfRunningCommand)))
        this.#startEffect(effect, causedBy);
    }
    if (control.length > 0) {
      const score = Math.max(0, ...control.flatMap(({ scores }) => Object.values(scores)));
      const isBad = control.some(({ audit, error }) => audit === "attack" || error !== undefined);
      this.#verdicts.push({ seq: this.#seq, score, isBad });
    }
    const isCompacted = log.some(isCompaction);
    if (facts?.contextTokens === undefined && !isCompacted) return;
    const tokens = facts?.contextTokens ?? this.#context.at(-1)?.tokens ?? 0;
    this.#context.push({ seq: this.#seq, tokens, isCompacted });
  }

  #isFirstOutput(type: string): boolean {
    const open = this.#open.get(LLM);
    if (open === undefined || this.#bars[open]?.kind !== "request") return false;
    return type.startsWith("llm.") && !NO_OUTPUT.has(type);
  }

  #startEffect(effect: EffectEvent, cause: number | undefined): void {
    const key = keyOf(effect);
    const kind = effect.effect;
    const subject = key.startsWith(`${kind}:`) ? key.slice(kind.length + 1) : key;
    if (kind === "llm") this.#start(key, { lane: "model", kind: "request" }, cause);
    else if (kind !== "timer") {
      const of = kind === "subtask" ? (this.#children.get(subject) ?? subject) : subject;
      this.#start(key, { lane: LANE_OF[kind], kind, subject: of }, cause);
    } else {
      const wait = TIMERS.get(this.#path);
      if (wait === undefined) this.#latest.delete(key);
      else this.#start(key, { lane: "model", kind: wait }, cause);
    }
  }

  #noteState(): void {
    const kind = topState(this.#path);
    const open = this.#open.get(STATE);
    if (open !== undefined && this.#bars[open]?.kind === kind) return;
    this.#stop(STATE);
    this.#start(STATE, { lane: "state", kind }, undefined);
  }

  #start(key: string, { lane, kind, subject = "" }: Started, cause: number | undefined): void {
    const position = this.#bars.length;
    const row = this.#rowFor(lane, subject);
    const [seq, from] = [this.#seq, this.#at];
    this.#bars.push({ lane, row, kind, subject, seq, from, last: undefined, to: undefined, cause });
    this.#open.set(key, position);
    this.#latest.set(key, position);
    if (isWork(lane, kind)) this.#working += 1;
  }

  /** The row of a new bar. A tool has the first row without an open bar. So has a subtask, once each row has had one. */
  #rowFor(lane: BarLane, subject: string): number {
    const rows = this.#rows.get(lane) ?? 0;
    const row = lane === "subtasks" ? this.#rowOfChild(subject) : lane === "tools" ? this.#rowOfTool() : 0;
    this.#rows.set(lane, Math.max(rows, row + 1));
    return row;
  }

  #rowOfChild(child: string): number {
    const known = this.#childRows.size;
    const isFull = known >= CHILD_ROWS_MAX;
    const free = isFull ? this.#freeRow("subtasks") : known;
    const row = this.#childRows.get(child) ?? (free < CHILD_ROWS_MAX ? free : known % CHILD_ROWS_MAX);
    this.#childRows.set(child, row);
    return row;
  }

  #rowOfTool(): number {
    return Math.min(this.#freeRow("tools"), TOOL_ROWS_MAX - 1);
  }

  /** The first row of a lane without an open bar. */
  #freeRow(lane: BarLane): number {
    const taken = new Set<number>();
    for (const position of this.#open.values()) {
      const bar = this.#bars[position];
      if (bar?.lane === lane) taken.add(bar.row);
    }
    let row = 0;
    while (taken.has(row)) row += 1;
    return row;
  }

  /** End an open bar. Returns its position. */
  #stop(key: string): number | undefined {
    const position = this.#open.get(key);
    const bar = position === undefined ? undefined : this.#bars[position];
    if (position === undefined || bar === undefined) return undefined;
    this.#bars[position] = { ...bar, last: this.#seq, to: this.#at };
    this.#open.delete(key);
    if (isWork(bar.lane, bar.kind)) this.#working -= 1;
    if (key !== STATE) this.#ended = position;
    return position;
  }

  #noteQuiet(): void {
    const reason = this.#working > 0 ? undefined : this.#reasonToWait();
    const ask = this.#openOf("ask");
    const waitsFor = reason === "person" ? `ask ${ask}` : reason;
    if (waitsFor === this.#waitsFor) return;
    this.#endQuiet();
    if (reason !== undefined && waitsFor !== undefined) this.#startQuiet(reason, waitsFor);
  }

  #startQuiet(reason: QuietReason, waitsFor: string): void {
    this.#waitsFor = waitsFor;
    this.#quiet.push({ reason, seq: this.#seq, from: this.#at, to: undefined });
  }

  #endQuiet(): void {
    const open = this.#quiet.at(-1);
    if (open === undefined || this.#waitsFor === undefined) return;
    this.#waitsFor = undefined;
    this.#quiet.pop();
    if (this.#at - open.from >= QUIET_MIN_MS) this.#quiet.push({ ...open, to: this.#at });
  }

  #reasonToWait(): QuietReason | undefined {
    if (this.#openOf("ask") !== undefined || topState(this.#path) === "waiting_for_input") return "person";
    const timer = TIMERS.get(this.#path);
    if (timer !== undefined) return timer;
    return hasNoWork(this.#path) ? "rest" : undefined;
  }

  /** The position of the open bar of this kind. */
  #openOf(kind: Bar["kind"]): number | undefined {
    for (const position of this.#open.values()) if (this.#bars[position]?.kind === kind) return position;
    return undefined;
  }
}

/** An activity that starts. */
interface Started extends Pick<Bar, "lane" | "kind"> {
  readonly subject?: string;
}

const isWork = (lane: BarLane, kind: Bar["kind"]): boolean => lane !== "state" && !WAITS.has(kind);

/** The key of an effect's bar. A task has one request at a time. */
const keyOf = ({ effect, id }: EffectEvent): string => (effect === "llm" ? LLM : id);

/** Whether the change asks about a command that runs: nothing waits for the answer. */
const isOfRunningCommand = (change: LogEvent): boolean =>
  change.type === "message.appended" && change.message.ask === "command_output";

/** Whether the change of the log shows that entries of the conversation were condensed or removed. */
function isCompaction(change: LogEvent): boolean {
  if (change.type === "message.grown") return false;
  const shown =
    change.type === "message.appended"
      ? change.message
      : change.type === "message.amended"
        ? change.patch
        : {};
  return shown.contextCondense !== undefined || shown.contextTruncation !== undefined;
}
