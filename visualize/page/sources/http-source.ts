import { parseJson } from "../../../machines/message/json.ts";
import { problemSchema, type TaskInfo, taskInfoSchema, taskListSchema } from "../../../wire/http/api.ts";
import { baseOf } from "../../../wire/http/base-url.ts";
import { controlReplayedSchema, protocolsSchema } from "../../../wire/http/control-replay.ts";
import { explainedSchema } from "../../../wire/http/explanation.ts";
import { replayedSchema } from "../../../wire/http/permission-replay.ts";
import { readTraceEvent } from "../../../wire/http/read-trace-event.ts";
import { openedRunSchema, suiteSchema } from "../../../wire/http/suite.ts";
import { omittedSubtasksSchema } from "../../../wire/http/trace.ts";
import { verificationCountsSchema, verificationSchema } from "../../../wire/http/verification.ts";
import type { PageSource, SubtaskSink, TraceSink } from "../source.ts";
import { type Connection, SharedConnection } from "./connection.ts";
import { httpActions } from "./http-actions.ts";
import { searchHits } from "./search-hits.ts";
import { request, textIn } from "./session.ts";
import { chartResponseSchema, taskChart } from "./task-chart.ts";

/** Options of {@link httpSource}. */
export interface HttpSourceOptions {
  /** Called at each change of the connection, which is lost while one of the page's streams is. */
  readonly onConnection?: (state: Connection) => void;
}

/**
 * A server of this package as a source, at its address, with the base path of a mounted handler. The page's own server is `""`.
 * Lost streams are resumed where they ended.
 */
export function httpSource(url: string, { onConnection = () => {} }: HttpSourceOptions = {}): PageSource {
  const baseUrl = baseOf(url);
  const connection = new SharedConnection(onConnection);
  return {
    async chart() {
      const given = chartResponseSchema.safeParse(await request(`${baseUrl}api/chart`));
      return given.success ? given.data : { chart: taskChart() };
    },
    watchTasks: (listener) => watchTaskList(`${baseUrl}api/events`, listener, connection),
    follow: (taskId, sink) =>
      followTrace(
        `${baseUrl}api/tasks/${encodeURIComponent(taskId)}/events?microsteps=true${sink.subtasks ? "&subtasks=true" : ""}`,
        sink,
        connection,
      ),
    explain: async (taskId, question) =>
      explainedSchema.parse(
        await request(`${baseUrl}api/tasks/${encodeURIComponent(taskId)}/explain`, {
          method: "POST",
          body: question,
        }),
      ),
    search: (term, signal) => searchHits(`${baseUrl}api/search?${new URLSearchParams(term)}`, signal),
    replayPermissions: async (question) =>
      replayedSchema.parse(
        await request(`${baseUrl}api/permissions/replay`, { method: "POST", body: question }),
      ),
    control: {
      protocols: async () =>
        protocolsSchema.parse(await request(`${baseUrl}api/control/protocols`)).protocols,
      replay: async (question) =>
        controlReplayedSchema.parse(
          await request(`${baseUrl}api/control/replay`, { method: "POST", body: question }),
        ),
    },
    openRun: async (run) =>
      openedRunSchema.parse(await request(`${baseUrl}api/suite/runs/${run}/open`, { method: "POST" })).taskId,
    suite: async () => suiteSchema.parse(await request(`${baseUrl}api/suite`)).suite ?? undefined,
    verification: async () =>
      verificationSchema.parse(await request(`${baseUrl}api/verification`)).verification ?? undefined,
    watchCounts(listener, onFailed) {
      const close = openStream(`${baseUrl}api/verification/counts`, {
        connection,
        events: {
          message: (data) => listener(verificationCountsSchema.parse(data)),
          failed(data) {
            close();
            onFailed(reasonIn(data, "The server ended the counts."));
          },
        },
      });
      return close;
    },
    actions: httpActions(baseUrl),
  };
}

/** Watch the whole list, then each task that changes. */
function watchTaskList(
  url: string,
  listener: (tasks: readonly TaskInfo[]) => void,
  connection: SharedConnection,
): () => void {
  const known = new Map<string, TaskInfo>();
  const update = (changed: readonly TaskInfo[]): void => {
    for (const task of changed) known.set(task.id, task);
    listener([...known.values()]);
  };
  return openStream(url, {
    connection,
    events: {
      tasks(data) {
        known.clear();
        update(taskListSchema.parse(data).tasks);
      },
      task: (data) => update([taskInfoSchema.parse(data)]),
    },
  });
}

function followTrace(url: string, sink: TraceSink, connection: SharedConnection): () => void {
  const close = openStream(url, {
    connection,
    events: {
      message(data) {
        const parsed = readTraceEvent(data);
        if (parsed.success) sink.events([parsed.data]);
        else sink.failed(`Expected a trace event from the server: ${parsed.problem}.`);
      },
      live: () => sink.live(),
      ...(sink.subtasks && subtaskEvents(sink.subtasks)),
      failed(data) {
        close();
        sink.failed(reasonIn(data, "The server ended the trace."));
      },
    },
    // The list of the tasks says whether the server rejects the page as well.
    onRefused() {
      close();
      sink.failed(
        "The server has no trace of this task, or rejected the page. Choose another task, or open the address that it printed.",
      );
    },
  });
  return close;
}

/** The reason in the last event of a stream that failed. */
function reasonIn(data: unknown, other: string): string {
  const problem = problemSchema.safeParse(data);
  return problem.success ? problem.data.detail : other;
}

/** The events of subtasks in the stream of a task. */
const subtaskEvents = (sink: SubtaskSink): StreamHandlers["events"] => ({
  subtask(data) {
    const parsed = readTraceEvent(data);
    if (parsed.success) sink.events([parsed.data]);
    else sink.failed(textIn(data, "taskId") ?? "", `Expected a trace event: ${parsed.problem}.`);
  },
  "subtask.failed": (data) => sink.failed(textIn(data, "taskId") ?? "", textIn(data, "detail") ?? ""),
  "subtasks.omitted"(data) {
    const omitted = omittedSubtasksSchema.safeParse(data);
    if (omitted.success) sink.omitted(omitted.data);
  },
});

interface StreamHandlers {
  /** The handlers of events, by name; `message` is the default. */
  readonly events: Readonly<Record<string, (data: unknown) => void>>;
  readonly connection: SharedConnection;
  /** The server rejected the stream: the browser does not reconnect. */
  readonly onRefused?: () => void;
}

/**
 * Open an event stream of the server. When it is lost, the browser reconnects and resumes after the last event. Call
 * the returned function to close it.
 */
function openStream(url: string, { events, connection, onRefused }: StreamHandlers): () => void {
  const source = new EventSource(url);
  const set = (state: Connection): void => connection.set(source, state);
  // The server ends a stream that is behind, and the browser continues it from there.
  let isEnded = false;
  set("connecting");
  source.onopen = () => set("connected");
  source.addEventListener("end", () => {
    isEnded = true;
  });
  source.onerror = () => {
    const isRefused = source.readyState === EventSource.CLOSED;
    if (isRefused && onRefused !== undefined) onRefused();
    else if (isRefused) set("refused");
    else if (!isEnded) set("lost");
    isEnded = false;
  };
  for (const [type, handle] of Object.entries(events))
    source.addEventListener(type, (event) => handle(parseJson(String(event.data))));
  return () => {
    source.close();
    connection.remove(source);
  };
}
