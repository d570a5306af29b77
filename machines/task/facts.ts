import type { Facts, TaskContext } from "./task.types.ts";

const NAMES = {
  pending: true,
  background: true,
  counters: true,
  retryAt: true,
  total: true,
  result: true,
  mode: true,
  children: true,
} as const satisfies Record<keyof Facts, true>;

const isFact = (name: string): name is keyof Facts => Object.hasOwn(NAMES, name);

/** The facts among what an action changed, or undefined if there are none. */
export function factsIn(patch: Partial<TaskContext>): Partial<Facts> | undefined {
  let facts: Record<string, unknown> | undefined;
  for (const name in patch) {
    if (!isFact(name)) continue;
    facts ??= {};
    facts[name] = patch[name];
  }
  return facts;
}
