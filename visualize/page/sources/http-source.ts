import { parseJson } from "../../../machines/message/json.ts";
import { problemSchema, type TaskInfo, taskInfoSchema, taskListSchema } from "../../../wire/http/api.ts";
import { baseOf } from "../../../wire/http/base-url.ts";
import { readTraceEvent } from "../../../wire/http/read-trace-event.ts";
import { suiteSchema } from "../../../wire/http/suite.ts";
import type { PageSource, TraceSink } from "../source.ts";
import { httpActions } from "./http-actions.ts";
import { request } from "./session.ts";
import { chartResponseSchema, taskChart } from "./task-chart.ts";

export type Connection = "connecting" | "connected" | "lost";

/** Options of {@link httpSource}. */
export interface HttpSourceOptions {
  /** Called at each change of the connection. */
  readonly onConnection?: (state: Connection) => void;
}

/**
 * A server of this package as a source, at its address, with the base path of a mounted handler. The page's own server is `""`.
 * Lost streams are resumed where they ended.
 */
export function httpSource(url: string, { onConnection }: HttpSourceOptions = {}): PageSource {
  const baseUrl = baseOf(url);
  return {
    async chart() {
      const given = chartResponseSchema.safeParse(await request(`${baseUrl}api/chart`));
      return given.success ? given.data : { chart: taskChart() };
    },
    watchTasks: (listener) => watchTaskList(`${baseUrl}api/events`, listener, onConnection),
    follow: (taskId, sink) =>
      followTrace(`${baseUrl}api/tasks/${encodeURIComponent(taskId)}/events?microsteps=true`, sink),
    suite: async () => suiteSchema.parse(await request(`${baseUrl}api/suite`)).suite ?? undefined,
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

interface StreamHandlers {
  /** The handlers of events, by name; `message` is the default. */
  readonly events: Readonly<Record<string, (data: unknown) => void>>;
  readonly onConnection?: ((state: Connection) => void) | undefined;
  /** The server rejected the stream: the browser does not reconnect. */
  readonly onRefused?: () => void;
}

/**
 * Open an event stream of the server. When it is lost, the browser reconnects and resumes after the last event. Call
 * the returned function to close it.
 */
function openStream(url: string, { events, onConnection, onRefused }: StreamHandlers): () => void {
  const source = new EventSource(url);
  onConnection?.("connecting");
  source.onopen = () => onConnection?.("connected");
  source.onerror = () => {
    onConnection?.("lost");
    if (source.readyState === EventSource.CLOSED) onRefused?.();
  };
  for (const [type, handle] of Object.entries(events))
    source.addEventListener(type, (event) => handle(parseJson(String(event.data))));
  return () => source.close();
}
