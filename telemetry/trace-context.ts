import { createHash } from "node:crypto";
import { type Context, ROOT_CONTEXT, TraceFlags, trace } from "@opentelemetry/api";

/**
 * The context that all spans of a root task have in common: its trace and its parent are derived from the task's id, so
 * that a task continues its trace in another process without a record of it.
 */
export function contextOfTask(rootId: string): Context {
  const digest = createHash("sha256").update(`signalbox task ${rootId}`).digest("hex");
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: digest.slice(0, 32),
    spanId: digest.slice(32, 48),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
}
