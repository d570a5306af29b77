import { topState } from "../../../machines/message/states.ts";
import { plural } from "../../../present/plural.ts";
import { dollars, duration } from "../model/format.ts";
import { STATE_LABELS } from "../model/state.ts";
import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import type { Step } from "./steps.ts";

/** A measure of two tasks, as texts. */
export interface Total {
  readonly name: string;
  readonly mine: string;
  readonly other: string;
}

interface Compared {
  readonly trace: TraceSnapshot;
  readonly steps: readonly Step[];
}

const MEASURES: readonly (readonly [string, (task: Compared) => string])[] = [
  ["Model", ({ trace }) => trace.moment(trace.length - 1).memory.facts.model?.id ?? "unknown"],
  ["State", ({ trace }) => STATE_LABELS[topState(trace.index.paths.at(-1) ?? "")]],
  ["Requests", ({ steps }) => plural(countOf(steps, "request"), "request")],
  ["Calls", ({ steps }) => plural(countOf(steps, "call"), "call")],
  ["Cost", ({ trace }) => costOf(trace)],
  ["Time without long waits", ({ trace }) => `${duration(workingMs(trace))} without long waits`],
];

/** The costs, times and ends of two tasks. */
export const totalsOf = (mine: Compared, other: Compared): readonly Total[] =>
  MEASURES.map(([name, of]) => ({ name, mine: of(mine), other: of(other) }));

const countOf = (steps: readonly Step[], kind: Step["kind"]): number =>
  steps.filter((step) => step.kind === kind).length;

function costOf({ index: { usage } }: TraceSnapshot): string {
  const last = usage.at(-1);
  return dollars(last === undefined ? 0 : last.cost);
}

/** The time from the first event to the last, without long waits for a person, a timer, a process (`QUIET_MIN_MS`). */
function workingMs({ index: { times, timeline } }: TraceSnapshot): number {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const waited = timeline.quiet.reduce((sum, { from, to = last }) => sum + to - from, 0);
  return last - first - waited;
}
