import type { Conversation } from "../machines/conversation/index.ts";
import { detectAgentState, type Log } from "../machines/message/index.ts";
import type { TaskEmitted } from "../machines/task/index.ts";

/** A law that a macrostep broke. */
export interface BrokenLaw {
  /** Its number, as docs/laws.md has it: `L8`. */
  readonly law: string;
  /** What it asks for and what came, for people. */
  readonly reason: string;
}

/** Where a task is between two macrosteps. */
export interface TaskPosition {
  /** As a dotted path. */
  readonly state: string;
  readonly log: Log;
  readonly conversation: Conversation;
}

/** What a macrostep came to. */
export interface Macrostep extends TaskPosition {
  /** What it emitted, in order. */
  readonly emitted: readonly TaskEmitted[];
}

/**
 * Laws that a task is held against while it runs. It is given where the task is, and gives what looks at each macrostep
 * from there on. Both are called within the task's own step: they must be quick, and must not throw.
 */
export type LawCheck = (now: TaskPosition) => (step: Macrostep) => BrokenLaw | undefined;

/** L1 alone: it needs to know nothing of what was before. */
export const derivationLaw: LawCheck =
  () =>
  ({ state, log }) => {
    const means = detectAgentState(log).state;
    return state === means || state.startsWith(`${means}.`)
      ? undefined
      : { law: "L1", reason: `the machine is in ${state}, the rows mean ${means}` };
  };
