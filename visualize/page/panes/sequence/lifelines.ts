import type { TraceReader } from "../../../trace/moment.ts";
import { participantOf } from "./participants.ts";
import type { Step } from "./steps.ts";

/** The time that one actor ran, in lines of the diagram. */
export interface Lifeline {
  readonly actor: string;
  readonly participant: string;
  /** The free slot of its participant when it was started. */
  readonly slot: number;
  /** The line on which it was started; absent: before the shown lines. */
  readonly from?: number;
  /** The line on which it was stopped; absent: after the shown lines. */
  readonly to?: number;
}

/** The lifelines of the actors that ran in these steps, from the trace's `effects`. */
export function lifelinesOf(
  trace: TraceReader,
  steps: readonly Step[],
  toolNames: ReadonlyMap<string, string>,
): readonly Lifeline[] {
  const open = new Map<string, Lifeline>();
  const ended: Lifeline[] = [];
  const first = steps[0]?.first ?? 0;
  const start = (actor: string, from?: number) => {
    const participant = participantOf(actor, toolNames);
    const slot = freeSlot(open, participant);
    open.set(actor, { actor, participant, slot, ...(from !== undefined && { from }) });
  };
  const stop = (actor: string, to: number) => {
    const lifeline = open.get(actor);
    if (lifeline === undefined) return;
    open.delete(actor);
    ended.push({ ...lifeline, to });
  };
  if (first > 0) for (const actor of trace.moment(first - 1).actors.keys()) start(actor);
  for (const [line, { event }] of steps.entries()) {
    const { record } = event;
    if (record.kind !== "commit") continue;
    // Their process has ended.
    if (record.cause?.type === "task.recovered") for (const actor of [...open.keys()]) stop(actor, line);
    for (const { type, id } of record.effects) {
      stop(id, line);
      if (type === "effect.started") start(id, line);
    }
  }
  return [...ended, ...open.values()];
}

function freeSlot(open: ReadonlyMap<string, Lifeline>, participant: string): number {
  const taken = new Set<number>();
  for (const other of open.values()) if (other.participant === participant) taken.add(other.slot);
  let slot = 0;
  while (taken.has(slot)) slot += 1;
  return slot;
}
