import type { ServerResponse } from "node:http";
import { z } from "zod";
import type { FollowOptions, WakeSignal } from "../../trace/live/index.ts";
import { taskInfoSchema, traceEventSchema } from "../../wire/index.ts";
import { problemOf } from "../problem.ts";
import type { Services } from "../services.ts";
import { formatEvent, sendStream } from "../stream/event-stream.ts";
import { parseEventId } from "../traces/event-id.ts";
import type { TraceItem } from "../traces/task-traces.ts";
import { route, taskParams } from "./route.ts";

const PROBLEMS = ["TASK_UNKNOWN", "ID_INVALID", "STREAMS_FULL", "SERVER_CLOSED"];

/** `microsteps`: whether new events have microsteps. Default false: then the machine is not inspected. */
const followParams = taskParams.extend({
  microsteps: z
    .enum(["true", "false"])
    .default("false")
    .transform((text) => text === "true"),
});

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
    async run(services, { response }) {
      await services.streams.run((signal) =>
        sendEvents(services, response, signal, listTexts(services, signal)),
      );
    },
  }),
  route({
    method: "get",
    path: "/api/tasks/{taskId}/events",
    name: "followTask",
    summary:
      "A task's trace as server-sent events: all past events, then `live`, then each new event. With Last-Event-ID it continues from there. With `microsteps=true` new events have the transitions that were taken.",
    params: followParams,
    answer: {
      status: 200,
      description: "The data of an event without a name is a trace event.",
      schema: traceEventSchema,
      type: "text/event-stream",
    },
    problems: [...PROBLEMS, "POSITION_INVALID"],
    async run(services, { params, lastEventId, response }) {
      const { taskId, microsteps } = params;
      const at = lastEventId === undefined ? undefined : parseEventId(lastEventId);
      await services.list.assertExists(taskId);
      await services.streams.run((signal) =>
        sendEvents(services, response, signal, eventTexts(services, taskId, signal, { at, microsteps })),
      );
    },
  }),
  route({
    method: "get",
    path: "/api/tasks/{taskId}/trace",
    name: "getTrace",
    summary: "A task's trace up to now, as NDJSON.",
    params: taskParams,
    answer: {
      status: 200,
      description: "Each line is a trace event.",
      schema: traceEventSchema,
      type: "application/x-ndjson",
    },
    problems: PROBLEMS,
    async run(services, { params, response }) {
      const { taskId } = params;
      await services.list.assertExists(taskId);
      await services.streams.run(async (signal) => {
        const lines = await started(recordedLines(services, taskId, signal));
        await sendStream(response, lines, signal, { ...services, type: "application/x-ndjson" });
      });
    },
  }),
];

async function sendEvents(
  services: Services,
  response: ServerResponse,
  signal: WakeSignal,
  texts: AsyncGenerator<string, void>,
): Promise<void> {
  const events = withErrors(await started(texts), services);
  await sendStream(response, events, signal, { ...services, type: "text/event-stream" });
}

async function* eventTexts(
  { traces }: Services,
  taskId: string,
  signal: WakeSignal,
  options: FollowOptions,
): AsyncGenerator<string, void> {
  for await (const item of traces.follow(taskId, signal, options)) yield formatItem(item);
}

function formatItem(item: TraceItem): string {
  switch (item.type) {
    case "event":
      return formatEvent(item.json, { id: item.id });
    case "live":
      return formatEvent("{}", { event: "live" });
    case "behind":
      return formatEvent('{"reason":"behind"}', { event: "end" });
    case "pause":
      return "";
  }
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

/** Read the first text, so that an error is a response of its own and not part of a stream. */
async function started(texts: AsyncGenerator<string, void>): Promise<AsyncIterable<string>> {
  const first = await texts.next();
  return (async function* () {
    try {
      if (first.done !== true) yield first.value;
      yield* texts;
    } finally {
      await texts.return();
    }
  })();
}

/** End a stream that fails with the error as its last event. */
async function* withErrors(
  texts: AsyncIterable<string>,
  { onError }: Services,
): AsyncGenerator<string, void> {
  try {
    yield* texts;
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code === "INTERNAL") onError(error);
    yield formatEvent(JSON.stringify(problem), { event: "failed" });
  }
}
