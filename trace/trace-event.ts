import type { JournalRecord } from "../wire/index.ts";

/**
 * One thing that happened to a task, in the order of its stream: the beginning of its journal, a macrostep with all
 * that it decided, or the end of an effect. It is the journal's record with what the record leaves out: who sent the
 * cause, what brought that sender about, and, where the machine is inspected, its microsteps.
 */
export interface TraceEvent {
  /** Its place in the trace, from 0, without a gap. */
  readonly seq: number;
  readonly taskId: string;
  /**
   * The record. Growth of streamed text is in no journal: live, its record bears the number of the newest one before it.
   */
  readonly record: JournalRecord;
  /** Who sent the cause: `user`, `journal`, `task`, or the id of an edge actor as its `effect.started` names it. */
  readonly from: string;
  /** The place of the event that started the sender, where the sender is an edge actor of this trace. */
  readonly because?: number;
  /** Absent: durable. False only live, while the journal can't be written. */
  readonly durable?: false;
  /** What XState took, where the machine is inspected: absent in a trace that was rebuilt from a journal. */
  readonly microsteps?: readonly Microstep[];
}

/** One microstep of the machine, as XState's inspection tells it. */
export interface Microstep {
  /** The type of the event that it takes; empty where none is needed. */
  readonly event: string;
  readonly transitions: readonly TakenTransition[];
  /** The names of the actions on the rows that it took, in order. What states do on entry and exit is theirs. */
  readonly actions: readonly string[];
}

/** A row of the machine's table that was taken. States are dotted paths. */
export interface TakenTransition {
  readonly source: string;
  readonly event: string;
  readonly guard?: string;
  readonly targets: readonly string[];
}
