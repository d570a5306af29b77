import type { FollowOptions, Waiter } from "../../trace/index.ts";
import { taskCardSchema, traceEventSchema } from "../../wire/index.ts";
import { readPosition, type Telling } from "../feed/index.ts";
import { problemOf } from "../problem.ts";
import type { Services } from "../services.ts";
import { eventText, send } from "../stream/index.ts";
import { followParams, taskParams } from "./params.ts";
import { NO_BODY, NO_PARAMS, route } from "./route.ts";

const PROBLEMS = ["TASK_UNKNOWN", "ID_INVALID", "STREAMS_FULL", "SERVER_CLOSED"];

export const streamRoutes = [
  route({
    method: "get",
    path: "/api/events",
    name: "watchTasks",
    summary:
      "All tasks' cards as server-sent events: `tasks` with the whole list first, then `task` with each card as it changes.",
    params: NO_PARAMS,
    body: NO_BODY,
    answer: {
      status: 200,
      description: "The data of each event is JSON: a list of cards, or one card.",
      schema: taskCardSchema,
      type: "text/event-stream",
    },
    problems: ["STREAMS_FULL", "SERVER_CLOSED"],
    async run(services, { response }) {
      await services.streams.hold(async (waiter) => {
        const texts = await primed(cardTexts(services, waiter));
        await send(response, guarded(texts, services), waiter, { ...services, type: "text/event-stream" });
      });
    },
  }),
  route({
    method: "get",
    path: "/api/tasks/{taskId}/events",
    name: "followTask",
    summary:
      "A task's trace as server-sent events: all that happened, then `live`, then each event as it comes. With Last-Event-ID it goes on from there. With `microsteps=true` what comes has the rows of the machine's table that were taken.",
    params: followParams,
    body: NO_BODY,
    answer: {
      status: 200,
      description: "The data of an event without a name is an event of the trace.",
      schema: traceEventSchema,
      type: "text/event-stream",
    },
    problems: [...PROBLEMS, "POSITION_INVALID"],
    async run(services, { params, lastEventId, response }) {
      const { taskId, microsteps } = params;
      const at = lastEventId === undefined ? undefined : readPosition(lastEventId);
      await services.book.expect(taskId);
      await services.streams.hold(async (waiter) => {
        const texts = await primed(eventTexts(services, taskId, waiter, { at, microsteps }));
        await send(response, guarded(texts, services), waiter, { ...services, type: "text/event-stream" });
      });
    },
  }),
  route({
    method: "get",
    path: "/api/tasks/{taskId}/trace",
    name: "getTrace",
    summary: "A task's trace up to now, one event a line.",
    params: taskParams,
    body: NO_BODY,
    answer: {
      status: 200,
      description: "Each line is an event of the trace.",
      schema: traceEventSchema,
      type: "application/x-ndjson",
    },
    problems: PROBLEMS,
    async run(services, { params, response }) {
      const { taskId } = params;
      await services.book.expect(taskId);
      await services.streams.hold(async (waiter) => {
        const lines = await primed(recordedLines(services, taskId, waiter));
        await send(response, lines, waiter, { ...services, type: "application/x-ndjson" });
      });
    },
  }),
];

async function* eventTexts(
  { feed }: Services,
  taskId: string,
  waiter: Waiter,
  options: FollowOptions,
): AsyncGenerator<string, void> {
  for await (const told of feed.follow(taskId, waiter, options)) yield textOf(told);
}

function textOf(told: Telling): string {
  switch (told.type) {
    case "event":
      return eventText(told.json, { id: told.id });
    case "live":
      return eventText("{}", { event: "live" });
    case "behind":
      return eventText('{"reason":"behind"}', { event: "end" });
    case "pause":
      return "";
  }
}

/** Up to where it would be live. */
async function* recordedLines(
  { feed }: Services,
  taskId: string,
  waiter: Waiter,
): AsyncGenerator<string, void> {
  for await (const told of feed.follow(taskId, waiter)) {
    if (told.type !== "event") return;
    yield `${told.json}\n`;
  }
}

/** The cards that changed wait by their tasks, so that no more wait than there are tasks. */
async function* cardTexts({ book }: Services, waiter: Waiter): AsyncGenerator<string, void> {
  const waiting = new Map<string, string>();
  const unlisten = book.onCard((taskId, json) => {
    waiting.set(taskId, json);
    waiter.call();
  });
  try {
    yield eventText(JSON.stringify({ tasks: await book.list() }), { event: "tasks" });
    while (!waiter.isGone) {
      for (const [taskId, json] of waiting) {
        waiting.delete(taskId);
        yield eventText(json, { event: "task" });
      }
      yield "";
      await waiter.called();
    }
  } finally {
    unlisten();
  }
}

/** What can't be told at all is refused before the stream begins. */
async function primed(texts: AsyncGenerator<string, void>): Promise<AsyncIterable<string>> {
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

/** A stream that fails says why, and ends. */
async function* guarded(texts: AsyncIterable<string>, { onError }: Services): AsyncGenerator<string, void> {
  try {
    yield* texts;
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code === "INTERNAL") onError(error);
    yield eventText(JSON.stringify(problem), { event: "failed" });
  }
}
