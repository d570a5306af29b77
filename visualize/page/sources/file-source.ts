import type { Chart, ChartLayout } from "../../chart/chart.ts";
import type { Counterexample } from "../../trace/counterexample.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";
import { TraceLog } from "../../trace/trace-log.ts";
import type { PageSource } from "../source.ts";
import { taskChart } from "./task-chart.ts";
import { taskInfoOf } from "./task-info.ts";

/** Options of {@link fileSource}. */
export interface FileSourceOptions {
  /** The chart of the machine. Default: this package's task machine. */
  readonly chart?: Chart;
  /** Its layout. Default: computed by the page. */
  readonly layout?: ChartLayout;
  /** The violation of a law that the trace leads to. */
  readonly counterexample?: Counterexample;
}

/**
 * Recorded events as a read-only source. Events of several tasks may be mixed; the events of one are in order.
 *
 * @throws RangeError if a task's events have a gap
 */
export function fileSource(events: readonly TraceEvent[], options: FileSourceOptions = {}): PageSource {
  const tasks = new Map<string, TraceLog>();
  for (const event of events) {
    const trace = tasks.get(event.taskId) ?? new TraceLog(event.taskId);
    tasks.set(event.taskId, trace);
    trace.append(event);
  }
  const { counterexample } = options;
  return {
    ...(counterexample !== undefined && { counterexample }),
    async chart() {
      const chart = options.chart ?? taskChart();
      return { chart, ...(options.layout !== undefined && { layout: options.layout }) };
    },
    watchTasks(listener) {
      listener([...tasks.values()].map(taskInfoOf));
      return () => {};
    },
    follow(taskId, sink) {
      const trace = tasks.get(taskId);
      if (trace === undefined) sink.failed(`The recording has no task ${taskId}.`);
      else {
        sink.events(Array.from({ length: trace.length }, (_, seq) => trace.event(seq)));
        sink.live();
      }
      return () => {};
    },
  };
}
