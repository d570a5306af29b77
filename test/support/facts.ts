import type { DurableFacts } from "../../machines/task/index.ts";

// A missing fact is a type error.
const EACH = {
  pending: true,
  mentions: true,
  background: true,
  counters: true,
  retryAt: true,
  requestedAt: true,
  failedDiffs: true,
  total: true,
  result: true,
  mode: true,
  children: true,
  model: true,
  contextTokens: true,
  compaction: true,
  budget: true,
  permissions: true,
  profile: true,
  intent: true,
} as const satisfies Record<keyof DurableFacts, true>;

const isFact = (name: string): name is keyof DurableFacts => Object.hasOwn(EACH, name);

/** Every fact that a journal records of a task, in display order. */
export const FACTS: readonly (keyof DurableFacts)[] = Object.keys(EACH).filter(isFact);
