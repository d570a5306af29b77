import { z } from "zod";
import type { WakeSignal } from "../../actors/protocol/wake-signal.ts";
import { taskInfoSchema } from "../../wire/http/api.ts";
import { searchHitSchema } from "../../wire/http/search.ts";
import { traceEventSchema } from "../../wire/http/trace.ts";
import type { Services } from "../services.ts";
import { formatEvent, type StreamFormat, sendStream } from "../stream/event-stream.ts";
import { type Connection, ResponseStream } from "../stream/response-stream.ts";
import { formatTraceItem } from "../stream/trace-events.ts";
import type { TreeItem } from "../traces/subtask-traces.ts";
import { parseEventId } from "../traces/task-traces.ts";
import { relayedEvents } from "../workers/relayed-events.ts";
import { flag, route, taskParams } from "./route.ts";

const PROBLEMS = ["TASK_UNKNOWN", "ID_INVALID", "STREAMS_FULL", "SERVER_CLOSED"];

/**
 * `microsteps`: whether new events have microsteps. Default false: then the machine is not inspected. `subtasks`:
 * whether the events of its subtasks follow. Default false.
 */
const followParams = taskParams.extend({ microsteps: flag, subtasks: flag });

/** One of the two is given. */
const searchParams = z
  .object({ text: z.string().min(1).exactOptional(), tool: z.string().min(1).exactOptional() })
  .refine(
    ({ text, tool }) => (text === undefined) !== (tool === undefined),
    "expected either a text or a tool",
  );

export const streamRoutes = [
  route({
    method: "get",
    path: "/api/events",
    name: "watchTasks",
    summary:
      "All tasks as server-sent events: first `tasks` with the whole list, then `task` with each task that changes.",
    answer: {
      status: 200,
      description: "The data of each event is JSON: a list of tasks, or one task.",
      schema: taskInfoSchema,
      type: "text/event-stream",
    },
    problems: ["STREAMS_FULL", "SERVER_CLOSED"],
    run: (services, { connection }) =>
      startStream(services, connection, EVENTS, (signal) => listTexts(services, signal)),
  }),
  route({
    method: "get",
    path: "/api/search",
    name: "searchTasks",
    summary:
      "The records of all tasks that contain a text, or call a tool, as NDJSON while they are found. At most 5 of each task.",
    params: searchParams,
    answer: {
      status: 200,
      description: "Each line is a record that was found.",
      schema: searchHitSchema,
      type: "application/x-ndjson",
    },
    problems: ["STREAMS_FULL", "SERVER_CLOSED"],
    run: (services, { params, connection }) =>
      startStream(services, connection, LINES, () => hitLines(services, params)),
  }),
  route({
    method: "get",
    path: "/api/tasks/{taskId}/events",
    name: "followTask",
    summary:
      "A task's trace (docs/guide/traces.md) as server-sent events: all past events, then `live`, then each new event. With Last-Event-ID it continues from there. With `microsteps=true` new events have the transitions that were taken, with `subtasks=true` the events of its subtasks follow as `subtask`.",
    params: followParams,
    answer: {
      status: 200,
      description: "The data of an event without a name is a trace event.",
      schema: traceEventSchema,
      type: "text/event-stream",
    },
    problems: [...PROBLEMS, "POSITION_INVALID"],
    async run(services, { params, lastEventId, connection }) {
      const { taskId } = params;
      await services.list.assertExists(taskId);
      const recorded = (lastId: string | undefined, signal: WakeSignal) =>
        traceTexts(services, params, lastId, signal);
      const { workers } = services;
      return startStream(services, connection, EVENTS, (signal) =>
        workers === undefined
          ? recorded(lastEventId, signal)
          : relayedEvents({
              taskId,
              owners: workers.owners,
              path: `/api/tasks/${encodeURIComponent(taskId)}/events?microsteps=${params.microsteps}&subtasks=${params.subtasks}`,
              recorded,
              lastId: lastEventId,
              signal,
            }),
      );
    },
  }),
  route({
    method: "get",
    path: "/api/tasks/{taskId}/trace",
    name: "getTrace",
    summary: "A task's trace up to now as NDJSON, without microsteps. The connection is cut if it fails.",
    params: taskParams,
    answer: {
      status: 200,
      description: "Each line is a trace event.",
      schema: traceEventSchema,
      type: "application/x-ndjson",
    },
    problems: PROBLEMS,
    async run(services, { params, connection }) {
      const { taskId } = params;
      await services.list.assertExists(taskId);
      return startStream(services, connection, LINES, (signal) => recordedLines(services, taskId, signal));
    },
  }),
];

/**
 * Start a stream and return its body. It returns with the first item, so that an error before it is a response of its
 * own, and so that the request and what belongs to it are released.
 */
export async function startStream<T>(
  services: Services,
  connection: Connection,
  format: StreamFormat<T>,
  open: (signal: WakeSignal) => AsyncGenerator<T, void>,
): Promise<ReadableStream<Uint8Array>> {
  const { streams, clock, bounds, onError } = services;
  const stream = new ResponseStream({ connection, clock, bounds });
  const signal = streams.open(stream);
  try {
    const items = open(signal);
    const first = await items.next();
    sendStream(stream, { first, items }, format, services)
      .catch(onError)
      .finally(() => streams.remove(stream));
    return stream.body;
  } catch (error) {
    streams.remove(stream);
    throw error;
  }
}

/** Server-sent events that are formatted where they are made. */
export const EVENTS: StreamFormat<string> = {
  type: "text/event-stream",
  item: (text) => text,
};
const LINES: StreamFormat<string> = { type: "application/x-ndjson", item: (text) => text };
/** The events of a task after an id. */
async function* traceTexts(
  { traces, onError }: Services,
  { taskId, microsteps, subtasks }: z.output<typeof followParams>,
  lastId: string | undefined,
  signal: WakeSignal,
): AsyncGenerator<string, void> {
  const options = { at: lastId === undefined ? undefined : parseEventId(lastId), microsteps };
  const items: AsyncIterable<TreeItem> = subtasks
    ? traces.followTree(taskId, signal, options)
    : traces.follow(taskId, signal, options);
  for await (const item of items) yield formatTraceItem(item, onError);
}

/** The events up to where the trace becomes live. */
async function* recordedLines(
  { traces }: Services,
  taskId: string,
  signal: WakeSignal,
): AsyncGenerator<string, void> {
  for await (const item of traces.follow(taskId, signal)) {
    if (item.type !== "event") return;
    yield `${item.json}\n`;
  }
}

async function* hitLines(
  { history }: Services,
  search: z.output<typeof searchParams>,
): AsyncGenerator<string, void> {
  for await (const hit of history.search(search)) yield `${JSON.stringify(hit)}\n`;
}

/** Changed tasks wait by their ids, so that no more wait than there are tasks. */
async function* listTexts({ list }: Services, signal: WakeSignal): AsyncGenerator<string, void> {
  const waiting = new Map<string, string>();
  const unsubscribe = list.onChange((taskId, json) => {
    waiting.set(taskId, json);
    signal.wake();
  });
  try {
    yield formatEvent(JSON.stringify({ tasks: await list.all() }), { event: "tasks" });
    while (!signal.isAborted) {
      for (const [taskId, json] of waiting) {
        waiting.delete(taskId);
        yield formatEvent(json, { event: "task" });
      }
      yield "";
      await signal.wait();
    }
  } finally {
    unsubscribe();
  }
}
