import { createHash } from "node:crypto";
import {
  type Context,
  isSpanContextValid,
  type Meter,
  metrics,
  ROOT_CONTEXT,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { Observable, Subscription } from "rxjs";
import { systemClock } from "../../actors/protocol/edge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TraceContext } from "../../tools/ports.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { TaskSpans } from "./task-spans.ts";

/** The parts of a task that telemetry reads. */
type ObservedTask = Pick<Task, "id" | "rootId" | "parent" | "events$">;

/** The parts of a host that telemetry reads. */
interface ObservedHost {
  readonly tasks: ReadonlyMap<string, ObservedTask>;
  readonly opened$: Observable<ObservedTask>;
}

/** Options of {@link observeTelemetry}. */
export interface TelemetryOptions {
  /** Default: the tracer of the registered provider, by the name `signalbox`. */
  readonly tracer?: Tracer;
  /** Default: the meter of the registered provider, by the name `signalbox`. */
  readonly meter?: Meter;
  /** Name of the agent in its spans. Default `signalbox`. */
  readonly agentName?: string;
  /**
   * Add texts of the conversation, arguments and results of tool calls to the spans, at most this many characters an
   * attribute. They may contain what a user or a file keeps secret. Default: no content.
   */
  readonly contentChars?: number;
  /** Parent of a root task's spans. Default: a context that is derived from the task's id, the same in every process. */
  readonly parent?: (task: Pick<Task, "id" | "rootId">) => Context;
  /** Clock for what has no time of its own. Default: the system's. */
  readonly clock?: Clock;
}

/** The spans of a host's tasks. */
export interface Telemetry {
  /**
   * The context of a running tool call, or of the turn that a task is in, to continue its trace elsewhere. Undefined for a
   * task that does not work.
   */
  contextOf(taskId: string, callId?: string): Context | undefined;
  /** {@link contextOf} in the form of W3C Trace Context, for `HostOptions.traceContext` and requests to other services. */
  traceContextOf(taskId: string, callId?: string): TraceContext | undefined;
  /** Stop observing, and end the open spans. The host and its tasks continue. */
  close(): void;
}

/**
 * Create spans and metrics of a host's tasks, including subtasks, by their durable commits. Needs the package
 * `@opentelemetry/api`; which spans are kept and where they go is decided by the SDK that the program registers.
 *
 * @example
 * ```ts
 * import { createHost } from "signalbox";
 * import { observeTelemetry } from "signalbox/telemetry";
 * const host = createHost();
 * const telemetry = observeTelemetry(host, { agentName: "reviewer" });
 * await host.closeAll();
 * telemetry.close();
 * ```
 */
export function observeTelemetry(
  host: ObservedHost,
  {
    tracer = trace.getTracer("signalbox"),
    meter = metrics.getMeter("signalbox"),
    agentName = "signalbox",
    contentChars = 0,
    parent = ({ rootId }) => contextOfTask(rootId),
    clock = systemClock,
  }: TelemetryOptions = {},
): Telemetry {
  const requests = new RequestMetrics(meter);
  const observed = new Map<string, { readonly spans: TaskSpans; readonly subscription: Subscription }>();

  const observe = (task: ObservedTask): void => {
    const { id, parent: caller } = task;
    const spans = new TaskSpans(id, {
      tracer,
      requests,
      agentName,
      contentChars,
      now: () => clock.now(),
      parent: () => (caller && observed.get(caller.taskId)?.spans.context) ?? parent(task),
    });
    const subscription = task.events$.subscribe({
      next: (shown) => spans.read(shown),
      complete: () => {
        spans.close();
        if (observed.get(id)?.spans === spans) observed.delete(id);
      },
    });
    observed.set(id, { spans, subscription });
  };

  for (const task of host.tasks.values()) observe(task);
  const opened = host.opened$.subscribe(observe);
  const contextOf: Telemetry["contextOf"] = (taskId, callId) => {
    const spans = observed.get(taskId)?.spans;
    return callId === undefined ? spans?.context : spans?.contextOfCall(callId);
  };
  return {
    contextOf,
    traceContextOf(taskId, callId) {
      const context = contextOf(taskId, callId);
      return context && formatContext(context);
    },
    close() {
      opened.unsubscribe();
      for (const { spans, subscription } of observed.values()) {
        subscription.unsubscribe();
        spans.close();
      }
      observed.clear();
    },
  };
}

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
