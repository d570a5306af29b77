import type { JournalRecord } from "../wire/index.ts";

/**
 * One event of a task's trace: the start of its journal, the commit of a macrostep, or the result of a tool. It is the
 * journal's record, with the sender of its cause and, if the machine is inspected, its microsteps.
 */
export interface TraceEvent {
  /** Its number in the trace, from 0, without a gap. */
  readonly seq: number;
  readonly taskId: string;
  /** The record. Growth of streamed text is in no journal: its record has the number of the newest one before it. */
  readonly record: JournalRecord;
  /** The sender of the cause: `user`, `journal`, `task`, or the id of an actor as its `effect.started` names it. */
  readonly from: string;
  /** The `seq` of the event that started the sender, if the sender is an actor of this trace. */
  readonly because?: number;
  /** Absent: durable. False only live, while the journal can't be written. */
  readonly durable?: false;
  /** The microsteps, if the machine is inspected: absent in a trace of a journal. */
  readonly microsteps?: readonly Microstep[];
}

/** One microstep of the machine, as XState's inspection reports it. */
export interface Microstep {
  /** The type of the event; empty for an eventless microstep. */
  readonly event: string;
  readonly transitions: readonly TakenTransition[];
  /** The names of the transitions' actions, in order, without entry and exit actions. */
  readonly actions: readonly string[];
}

/** A transition that was taken. States are dotted paths. */
export interface TakenTransition {
  readonly source: string;
  readonly event: string;
  readonly guard?: string;
  readonly targets: readonly string[];
}
