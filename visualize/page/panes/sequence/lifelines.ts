import type { TraceEvent, TraceReader } from "../../../../trace/index.ts";
import { laneOf } from "./lanes.ts";
import type { Step } from "./steps.ts";

/** How long one actor worked, in lines of the picture. */
export interface Lifeline {
  readonly actor: string;
  readonly lane: string;
  /** How many others worked in its lane when it was started. */
  readonly slot: number;
  /** The line on which it was started; absent: before what is shown. */
  readonly from?: number;
  /** The line on which it was stopped; absent: it still works behind what is shown. */
  readonly to?: number;
}

interface Open {
  readonly actor: string;
  readonly lane: string;
  readonly slot: number;
  readonly from?: number;
}

/** The lives of the edge actors that worked in these lines, from the `effects` of the trace. */
export function lifelinesOf(
  trace: TraceReader,
  steps: readonly Step[],
  names: ReadonlyMap<string, string>,
): readonly Lifeline[] {
  const open = new Map<string, Open>();
  const ended: Lifeline[] = [];
  const first = steps[0]?.first ?? 0;
  const start = (actor: string, from?: number) => {
    const lane = laneOf(actor, names);
    open.set(actor, { actor, lane, slot: freeSlot(open, lane), ...(from !== undefined && { from }) });
  };
  const stop = (actor: string, to: number) => {
    const life = open.get(actor);
    if (life === undefined) return;
    open.delete(actor);
    ended.push({ ...life, to });
  };
  if (first > 0) for (const actor of trace.moment(first - 1).actors.keys()) start(actor);
  for (const [line, { event }] of steps.entries()) {
    const { record } = event;
    if (record.kind !== "commit") continue;
    // The process that they worked in has ended.
    if (isReopening(event)) for (const actor of [...open.keys()]) stop(actor, line);
    for (const { type, id } of record.effects) {
      if (type === "effect.stopped") stop(id, line);
      else {
        stop(id, line);
        start(id, line);
      }
    }
  }
  return [...ended, ...open.values()];
}

const isReopening = ({ record }: TraceEvent): boolean =>
  record.kind === "commit" && record.cause?.type === "task.recovered";

function freeSlot(open: ReadonlyMap<string, Open>, lane: string): number {
  const taken = new Set<number>();
  for (const other of open.values()) if (other.lane === lane) taken.add(other.slot);
  let slot = 0;
  while (taken.has(slot)) slot += 1;
  return slot;
}
