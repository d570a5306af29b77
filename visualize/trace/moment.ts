import type { AgentStateInfo } from "../../machines/message/detect.ts";
import type { RecordedState } from "../../machines/task/task.context.ts";
import type { TraceEvent } from "./trace-event.ts";

/** The state of a task after one event of its trace. */
export interface Moment {
  readonly event: TraceEvent;
  /** The machine's state, as a dotted path. */
  readonly state: string;
  /** The state derived from the messages (L1: the machine's top-level state). */
  readonly derived: AgentStateInfo;
  /** The rule of derivation that gives that state. */
  readonly rule: "R0" | "R1" | "R2" | "R3" | "R4";
  /** The log, the conversation, the queue, the tool calls and the facts. */
  readonly memory: RecordedState;
  /** The ids of the running actors, with the `seq` of the event that started each. */
  readonly actors: ReadonlyMap<string, number>;
}

/** A trace that can be read at any event. The cost of reading does not depend on its length. */
export interface TraceReader {
  readonly taskId: string;
  /** The number of events. */
  readonly length: number;
  /** @throws RangeError if there is no such event */
  event(seq: number): TraceEvent;
  /** @throws RangeError if there is no such event */
  moment(seq: number): Moment;
}
