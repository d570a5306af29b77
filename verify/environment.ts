import type { TaskEvent } from "../machines/task/task.events.ts";
import { type Bounds, isWithin, type Spent } from "./bounds.ts";
import type { Crash } from "./crash.ts";
import { FEATURES } from "./features/features.ts";
import type { View } from "./laws/law.ts";

/**
 * All events of the environment in this state. Late, foreign and invalid events are sent in every state: a user can
 * click late, and an event of a stopped actor may be in transit.
 */
export function eventsAt(view: View, spent: Spent, bounds: Bounds): readonly TaskEvent[] {
  const moment = { view, spent, bounds, at: (view.context.log.at(-1)?.ts ?? 0) + 1 };
  return FEATURES.flatMap(({ events }) => events?.(moment) ?? []);
}

/**
 * All crashes in this state. They differ in what is recorded: streamed text, results of running calls, ends of
 * subtasks; and in whether the wait for the next request is over. The first one only loses what runs.
 */
export function crashesAt(view: View, spent: Spent, bounds: Bounds): readonly Crash[] {
  const last = view.recorded.log.at(-1);
  if (!isWithin(spent.crashes, bounds.crashes) || last === undefined) return [];
  const at = last.ts + 1;
  const simplest: Crash = { type: "process.crashed", at, keepsGrowth: false, ends: [], childEnds: [] };
  const differences = FEATURES.flatMap(({ crashes }) => crashes?.({ view, spent, bounds, at }) ?? []);
  return differences.map((difference) => ({ ...simplest, ...difference }));
}
