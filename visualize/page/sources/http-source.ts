import type { TaskInfo } from "../../../wire/index.ts";
import { problemSchema, readTraceEvent, taskInfoSchema, taskListSchema } from "../../../wire/index.ts";
import type { PageSource, TraceSink } from "../source.ts";
import { type Connection, openStream } from "./event-stream.ts";
import { httpActions } from "./http-actions.ts";
import { request } from "./session.ts";
import { chartResponseSchema, taskChart } from "./task-chart.ts";

export interface HttpSourceOptions {
  /** Called at each change of the connection. */
  readonly onConnection?: (state: Connection) => void;
}

/**
 * A server of this package as a source. `baseUrl` ends with a slash; the page's own server is `""`. Lost streams are
 * resumed where they ended.
 */
export function httpSource(baseUrl: string, { onConnection }: HttpSourceOptions = {}): PageSource {
  return {
    async chart() {
      const given = chartResponseSchema.safeParse(await request(`${baseUrl}api/chart`));
      return given.success ? given.data : { chart: taskChart() };
    },
    watchTasks: (listener) => watchTaskList(`${baseUrl}api/events`, listener, onConnection),
    follow: (taskId, sink) =>
      followTrace(`${baseUrl}api/tasks/${encodeURIComponent(taskId)}/events?microsteps=true`, sink),
    actions: httpActions(baseUrl),
  };
}

/** Watch the whole list, then each task that changes. */
function watchTaskList(
  url: string,
  listener: (tasks: readonly TaskInfo[]) => void,
  onConnection: HttpSourceOptions["onConnection"],
): () => void {
  const known = new Map<string, TaskInfo>();
  const update = (changed: readonly TaskInfo[]): void => {
    for (const task of changed) known.set(task.id, task);
    listener([...known.values()]);
  };
  return openStream(url, {
    onConnection,
    events: {
      tasks(data) {
        known.clear();
        update(taskListSchema.parse(data).tasks);
      },
      task: (data) => update([taskInfoSchema.parse(data)]),
    },
  });
}

function followTrace(url: string, sink: TraceSink): () => void {
  return openStream(url, {
    events: {
      message(data) {
        const parsed = readTraceEvent(data);
        if (parsed.success) sink.events([parsed.data]);
        else sink.failed(`Expected a trace event from the server: ${parsed.problem}.`);
      },
      live: () => sink.live(),
      failed(data) {
        const problem = problemSchema.safeParse(data);
        sink.failed(problem.success ? problem.data.detail : "The server ended the trace.");
      },
    },
    onRefused: () =>
      sink.failed(
        "The server rejected this trace. Open the address that it printed, or choose another task.",
      ),
  });
}
