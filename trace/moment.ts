import type { AgentStateInfo } from "../machines/message/index.ts";
import type { Memory } from "../machines/task/index.ts";
import type { TraceEvent } from "./trace-event.ts";

/** What there is to see of a task at one place of its trace: after that event. */
export interface Moment {
  readonly event: TraceEvent;
  /** The machine's own state, as a dotted path. */
  readonly state: string;
  /** The state that the rows mean, by the rules of derivation (L1 says that both are one). */
  readonly derived: AgentStateInfo;
  /** The rule of derivation that the state is by. */
  readonly rule: "R0" | "R1" | "R2" | "R3" | "R4";
  /** The log, the conversation, the queue, the calls and the facts. */
  readonly memory: Memory;
  /** The edge actors that work, by their ids, with the place of the event that started each. */
  readonly actors: ReadonlyMap<string, number>;
}

/** A trace that grows at its end, read at any place. Reading costs the same however long it is. */
export interface TraceReader {
  readonly taskId: string;
  /** How many events it has. */
  readonly length: number;
  /** @throws RangeError where there is no such place */
  event(seq: number): TraceEvent;
  /** @throws RangeError where there is no such place */
  moment(seq: number): Moment;
}
