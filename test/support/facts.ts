import type { DurableFacts } from "../../machines/task/index.ts";

// A fact that is missing here doesn't compile.
const EACH = {
  pending: true,
  background: true,
  counters: true,
  retryAt: true,
  total: true,
  result: true,
  mode: true,
  children: true,
} as const satisfies Record<keyof DurableFacts, true>;

const isFact = (name: string): name is keyof DurableFacts => Object.hasOwn(EACH, name);

/** Every fact that a journal remembers of a task, in the order in which they are shown. */
export const FACTS: readonly (keyof DurableFacts)[] = Object.keys(EACH).filter(isFact);
