import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { taskListSchema } from "../../wire/http/api.ts";
import { enters, Served, SseReader } from "./support.ts";

const DONE = "{ tool: attempt_completion, input: { result: All done. } }";

test("no whole journal is read for the info of an open task, for a list, or to check that a task exists", async () => {
  const read: string[] = [];
  await using served = await Served.open({
    script: `[${DONE}]`,
    history: (dataDir) => {
      const history = openHistory({ dataDir });
      return {
        ...history,
        read: (id) => {
          read.push(id);
          return history.read(id);
        },
      };
    },
  });
  const { id } = await served.create("Look around\nand report");
  const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
  await stream.until(enters("idle"));
  stream.close();
  expect(await served.info(id)).toMatchObject({ title: "Look around", isOpen: true, messages: 4 });
  await served.fetch(`/api/tasks/${id}`, { method: "PATCH", json: { title: "The look" } });
  expect(await served.info(id)).toMatchObject({ title: "The look" });
  await served.post(`/api/tasks/${id}/close`);
  const { tasks } = taskListSchema.parse(await (await served.fetch("/api/tasks")).json());
  expect(tasks).toMatchObject([{ title: "The look", isOpen: false }]);
  await served.trace(id);
  expect((await served.post(`/api/tasks/${id}/cancel`)).status).toBe(409);
  expect((await served.post("/api/tasks/nobody/cancel")).status).toBe(404);
  expect(read).toEqual([]);
  expect(await served.info(id)).toMatchObject({ title: "The look", messages: 4 });
  expect(read).toEqual([id]);
});

const QUESTION =
  "{ tool: ask_followup_question, input: { question: Which one?, follow_up: [{ text: This }] } }";

test("a cancelled task is named so while it is open, and from its journal; one that waits has its requests", async () => {
  await using served = await Served.open({ script: `[${QUESTION}]` });
  const { id } = await served.create("Choose");
  const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
  await stream.until(enters("waiting_for_input"));
  stream.close();
  const waiting = await served.info(id);
  expect(waiting).toMatchObject({ requests: 1, asks: [{ kind: "followup" }] });
  expect(waiting).not.toHaveProperty("isCancelled");
  await served.post(`/api/tasks/${id}/cancel`);
  expect(await served.info(id)).toMatchObject({ rest: "interrupted", isCancelled: true });
  await served.restart();
  const { tasks } = taskListSchema.parse(await (await served.fetch("/api/tasks")).json());
  expect(tasks).toMatchObject([
    { isOpen: false, isCancelled: true, requests: 1, lastAsk: { kind: "resume_task" } },
  ]);
  await served.post(`/api/tasks/${id}/open`);
  expect(await served.info(id)).toMatchObject({ isOpen: true, isCancelled: true });
});

test("a task has the model of its last request, and its list and events have that a person merged its files", async () => {
  await using served = await Served.open({ script: `[${DONE}]` });
  const { id } = await served.create("Go");
  const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
  await stream.until(enters("idle"));
  stream.close();
  const { model } = await served.info(id);
  expect(model).toMatch(/^anthropic\//);
  await served.post(`/api/tasks/${id}/close`);
  const events = await SseReader.open(served, "/api/events");
  const folder = path.join(served.dataDir, "worktrees", id);
  mkdirSync(folder, { recursive: true });
  const files = { by: null, at: 5 };
  writeFileSync(path.join(folder, "end.json"), JSON.stringify({ version: 1, end: "merged", ...files }));
  await events.until(({ data }) => data.includes('"files":{"state":"merged","by":null,"at":5}'));
  events.close();
  const { tasks } = taskListSchema.parse(await (await served.fetch("/api/tasks")).json());
  expect(tasks).toMatchObject([{ id, isOpen: false, model, files: { state: "merged", ...files } }]);
});
