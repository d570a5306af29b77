import { SpanStatusCode } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { observeTelemetry, type TelemetryOptions } from "../../../client/telemetry/index.ts";
import type { Host } from "../../../runtime/host.ts";

/** Telemetry of a host with the SDK's exporters in memory. */
export function collect(host: Pick<Host, "tasks" | "opened$">, options: TelemetryOptions = {}) {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meters = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 })],
  });
  const telemetry = observeTelemetry(host, {
    tracer: provider.getTracer("test"),
    meter: meters.getMeter("test"),
    ...options,
  });
  return {
    telemetry,
    /** The ended spans. */
    spans: (): readonly ReadableSpan[] => exporter.getFinishedSpans(),
    async metrics() {
      await meters.forceFlush();
      const [exported] = metrics.getMetrics();
      return exported?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
    },
    close: () => meters.shutdown(),
  };
}

/** The spans as a tree, in the order of their starts, a failed one with its code. */
export function treeOf(spans: readonly ReadableSpan[]): readonly string[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const childrenOf = (parent: string | undefined, depth: number): readonly string[] =>
    spans
      .filter(({ parentSpanContext }) => {
        const id = parentSpanContext?.spanId;
        return parent === undefined ? id === undefined || !ids.has(id) : id === parent;
      })
      .toSorted((one, other) => startOf(one) - startOf(other))
      .flatMap((span) => [
        `${"  ".repeat(depth)}${span.name}${codeOf(span)}`,
        ...childrenOf(span.spanContext().spanId, depth + 1),
      ]);
  return childrenOf(undefined, 0);
}

const startOf = ({ startTime: [seconds, nanos] }: ReadableSpan): number => seconds * 1e9 + nanos;
const codeOf = ({ status, attributes }: ReadableSpan): string =>
  status.code === SpanStatusCode.ERROR ? ` (${attributes["error.type"]})` : "";
