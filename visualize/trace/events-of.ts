import type { TraceReader } from "./moment.ts";
import type { TraceEvent } from "./trace-event.ts";

/** All events of a trace. */
export const eventsOf = (trace: Pick<TraceReader, "length" | "event">): readonly TraceEvent[] =>
  Array.from({ length: trace.length }, (_, seq) => trace.event(seq));
