import type { TaskInfo } from "../../../wire/http/api.ts";
import type { Verification } from "../../../wire/http/verification.ts";
import type { Chart, ChartLayout } from "../../chart/chart.ts";
import type { Counterexample } from "../../trace/counterexample.ts";
import { eventsOf } from "../../trace/events-of.ts";
import { SubtaskQueue } from "../../trace/subtask-queue.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";
import { TraceLog } from "../../trace/trace-log.ts";
import type { PageSource, SubtaskSink } from "../source.ts";
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
  /** The result of a verification. */
  readonly verification?: Verification;
  /** The places where journals break off, by task. */
  readonly damage?: ReadonlyMap<string, string>;
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
  const { counterexample, verification, damage = new Map<string, string>() } = options;
  const infoOf = (trace: TraceLog): TaskInfo => {
    const reason = damage.get(trace.taskId);
    const info = taskInfoOf(trace);
    return reason === undefined ? info : { ...info, problem: { kind: "damaged", reason } };
  };
  return {
    ...(counterexample !== undefined && { counterexample }),
    ...(verification !== undefined && { verification: async () => verification }),
    async chart() {
      const chart = options.chart ?? taskChart();
      return { chart, ...(options.layout !== undefined && { layout: options.layout }) };
    },
    watchTasks(listener) {
      listener([...tasks.values()].map(infoOf));
      return () => {};
    },
    recorded(taskId) {
      const trace = tasks.get(taskId);
      return trace && { trace, passSubtasks: (sink) => passSubtasks(trace, tasks, sink) };
    },
    follow(taskId, sink) {
      const trace = tasks.get(taskId);
      if (trace === undefined) sink.failed(`The recording has no task ${taskId}.`);
      else {
        sink.events(eventsOf(trace));
        sink.live();
        if (sink.subtasks !== undefined) passSubtasks(trace, tasks, sink.subtasks);
      }
      return () => {};
    },
  };
}

/** Pass the traces of a task's subtasks, of any depth, as far as the recording has them. */
function passSubtasks(trace: TraceLog, tasks: ReadonlyMap<string, TraceLog>, sink: SubtaskSink): void {
  const queue = new SubtaskQueue(trace.taskId);
  for (const { record } of eventsOf(trace)) queue.note(record);
  for (let taskId = queue.next(); taskId !== undefined; taskId = queue.next()) {
    const found = tasks.get(taskId);
    if (found === undefined) continue;
    const events = eventsOf(found);
    for (const { record } of events) queue.notePast(record);
    sink.events(events);
  }
  if (queue.omitted !== undefined) sink.omitted(queue.omitted);
}
