import { EFFECT_KINDS } from "../../../machines/task/effect-kinds.ts";
import type { EffectEvent } from "../../../machines/task/task.events.ts";
import type { TraceSnapshot } from "../../../visualize/page/model/trace-snapshot.ts";
import type { Bar } from "../../../visualize/page/timeline/lanes.ts";
import type { CommitRecord } from "../../../wire/journal/record.ts";
import { commit, snapshotOf, traceOf } from "../panes/trace.ts";

/** One event: its time in milliseconds after the first, its cause, the state after it, and the effects: `-llm +ask:7`. */
export interface Happening extends Omit<Partial<CommitRecord>, "at" | "cause" | "effects"> {
  readonly at: number;
  readonly cause: string | CommitRecord["cause"];
  readonly after: string;
  readonly effects?: string;
}

/** The time of the first event of a trace. */
export const START = 1_000;

/** A trace whose events happen in this order, each in the state that the one before left. */
export function trace(happenings: readonly Happening[]): TraceSnapshot {
  let before = "no_task";
  const records = happenings.map(({ at, cause, effects = "", ...parts }, index) => {
    const time = START + at;
    const of = typeof cause === "string" ? { type: cause, at: time } : cause;
    const record = commit(index + 1, {
      ...parts,
      ...(of !== undefined && { cause: of }),
      ...{ at: time, before, effects: effects.split(" ").flatMap(effectOf) },
    });
    before = record.after;
    return record;
  });
  return snapshotOf(traceOf(records));
}

function effectOf(text: string): readonly EffectEvent[] {
  const id = text.slice(1);
  const effect = EFFECT_KINDS.find((kind) => id === kind || id.startsWith(`${kind}:`));
  if (effect === undefined) return [];
  return [{ type: text.startsWith("+") ? "effect.started" : "effect.stopped", effect, id }];
}

/** A bar in short: its lane, its kind, and its start and end in milliseconds after the first event. */
export const inShort = ({ lane, kind, from, to }: Bar): string =>
  `${lane} ${kind} ${from - START}-${to === undefined ? "" : to - START}`;

/** The bars of these lanes, in short. */
export const barsOf = ({ index }: TraceSnapshot, ...lanes: readonly Bar["lane"][]): readonly string[] =>
  index.timeline.bars.filter(({ lane }) => lanes.includes(lane)).map(inShort);

/** A task that fails a request, retries it, waits for an answer for 17 min 23 s, and runs a command for 6 s. */
export const WAITING: readonly Happening[] = [
  { at: 0, cause: "task.start", after: "streaming.preparing", effects: "+context" },
  { at: 100, cause: "context.ready", after: "streaming.receiving", effects: "-context +llm" },
  { at: 500, cause: "llm.failed", after: "running.retrying", effects: "-llm +timer" },
  { at: 2_500, cause: "timer.fired", after: "streaming.preparing", effects: "-timer +context" },
  { at: 2_600, cause: "context.ready", after: "streaming.receiving", effects: "-context +llm" },
  { at: 3_600, cause: "llm.text.delta", after: "streaming.receiving" },
  { at: 4_600, cause: "llm.text.delta", after: "streaming.receiving" },
  { at: 5_600, cause: "llm.tool.end", after: "streaming.receiving", effects: "+review:c" },
  { at: 5_700, cause: "llm.finished", after: "streaming.finishing", effects: "-llm" },
  {
    at: 5_800,
    cause: { type: "call.reviewed", callId: "c", at: 6_800 },
    after: "waiting_for_input.approval",
    effects: "-review:c +ask:7",
    log: [
      {
        type: "message.appended",
        message: { ts: 7, type: "ask", ask: "command", callId: "c", text: "npm run build" },
      },
    ],
    calls: [{ callId: "c", toolUseId: "t", name: "execute_command", ask: "command", phase: "asking" }],
  },
  {
    at: 1_048_800,
    cause: { type: "ask.answered", askId: 7, at: 1_049_800 },
    after: "running.commanding",
    effects: "-ask:7 +tool:c",
  },
  {
    at: 1_054_800,
    cause: { type: "tool.finished", callId: "c", at: 1_055_800 },
    after: "idle.completing",
    effects: "-tool:c +ask:9",
  },
];
