import type { JournalRecord } from "../../wire/journal/record.ts";

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
  /**
   * The sender of the cause: `user`, `journal`, `task`, or the id of an actor as its `effect.started` names it. A cancel
   * comes from `user`, `signal`, `host`, `parent` or, in a journal that doesn't record it, `unknown`.
   */
  readonly from: string;
  /** The `seq` of the event that started the sender, if the sender is an actor of this trace. */
  readonly because?: number;
  /** Absent: durable. False only live, while the journal can't be written. */
  readonly durable?: false;
  /** The microsteps, if the machine is inspected: absent in a trace of a journal. */
  readonly microsteps?: readonly Microstep[];
  /** The transitions that tool calls took, in order: of a live event, if the reader inspects the machine. */
  readonly moves?: readonly CallMove[];
  /** The next step of the turn after this event, as a sentence: of a live event, if the reader inspects the machine. */
  readonly next?: string;
}

/** A transition of a tool call: from one phase to the next. */
export interface CallMove {
  readonly callId: string;
  /** The type of the call's event. */
  readonly by: string;
  readonly from: string;
  readonly to: string;
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
