import { createHash } from "node:crypto";
import { type Context, isSpanContextValid, ROOT_CONTEXT, TraceFlags, trace } from "@opentelemetry/api";
import type { TraceContext } from "../../tools/ports.ts";

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

/** A context in the form of W3C Trace Context. Undefined without a valid span. */
export function formatContext(context: Context): TraceContext | undefined {
  const span = trace.getSpanContext(context);
  if (span === undefined || !isSpanContextValid(span)) return undefined;
  const flags = span.traceFlags.toString(16).padStart(2, "0");
  const tracestate = span.traceState?.serialize() ?? "";
  return {
    traceparent: `00-${span.traceId}-${span.spanId}-${flags}`,
    ...(tracestate !== "" && { tracestate }),
  };
}
