import type { TaskContext } from "./task.context.ts";
import type { DurableFacts } from "./task.events.ts";

const NAMES = {
  pending: true,
  background: true,
  counters: true,
  retryAt: true,
  total: true,
  result: true,
  mode: true,
  children: true,
} as const satisfies Record<keyof DurableFacts, true>;

const isFact = (name: string): name is keyof DurableFacts => Object.hasOwn(NAMES, name);

/** The facts among what an action changed, or undefined if there are none. */
export function factsIn(patch: Partial<TaskContext>): Partial<DurableFacts> | undefined {
  let facts: Record<string, unknown> | undefined;
  for (const name in patch) {
    if (!isFact(name)) continue;
    facts ??= {};
    facts[name] = patch[name];
  }
  return facts;
}
