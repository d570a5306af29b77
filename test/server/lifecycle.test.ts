import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { TraceLog } from "../../visualize/trace/index.ts";
import { queuedSchema, taskListSchema } from "../../wire/http/api.ts";
import { enters, Served, SseReader } from "./support.ts";

const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;
const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;

test("all tasks that work pause with one request, and an answer resumes each (PAUSE)", async () => {
  await using served = await Served.open({
    script: `[[{ text: I write. }, ${WRITE}], ${DONE}]`,
    files: { "a.txt": "one\n" },
  });
  const { id } = await served.create("Change it");
  const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
  await stream.until(enters("waiting_for_input"));
  const paused = taskListSchema.parse(await (await served.post("/api/pause", {})).json());
  expect(paused.tasks).toMatchObject([{ id, state: "waiting_for_input" }]);
  const askId = (await served.info(id)).asks[0]?.askId;
  await served.post(`/api/tasks/${id}/asks/${askId}/answer`, { kind: "yes" });
  await stream.until(enters("resumable"));
  expect((await served.info(id)).asks).toMatchObject([{ kind: "resume_task", reason: "paused" }]);
  stream.close();
});

test("a wake-up of a task is scheduled, listed and cleared over HTTP (WAKE)", async () => {
  await using served = await Served.open({ script: `[${DONE}]` });
  const { id } = await served.create("Do it");
  const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
  await stream.until(enters("idle"));
  stream.close();
  const path = `/api/tasks/${id}/wake-ups`;
  const at = Date.now() + 3_600_000;
  const scheduled = await served.post(path, { at, everyMs: 3_600_000, message: "Look" });
  expect(scheduled.status).toBe(201);
  const { id: wakeUpId } = queuedSchema.parse(await scheduled.json());
  expect((await served.info(id)).wakeUps).toEqual([
    { id: wakeUpId, at, everyMs: 3_600_000, message: "Look" },
  ]);
  const refused = await served.post(path, { at, everyMs: 1, message: "Look" });
  expect(await refused.json()).toMatchObject({ status: 409, code: "WAKE_UP_REFUSED" });
  const invalid = await served.post(path, { at: -1, message: "Look" });
  expect(await invalid.json()).toMatchObject({ status: 400, code: "OPTION_INVALID" });
  const clear = () => served.fetch(`${path}/${wakeUpId}`, { method: "DELETE" });
  expect((await clear()).status).toBe(204);
  expect((await served.info(id)).wakeUps).toBeUndefined();
  expect(await (await clear()).json()).toMatchObject({ code: "WAKE_UP_UNKNOWN" });
});

test("a task runs over HTTP: it is created, asks, is approved by the ask's id, completes, and accepts feedback", async () => {
  await using served = await Served.open({
    script: `[[{ text: I write. }, ${WRITE}], ${DONE}, ${DONE}]`,
    files: { "a.txt": "one\n" },
  });
  const created = await served.create("Change it");
  expect(created).toMatchObject({ title: "Change it", isOpen: true });
  const stream = await SseReader.open(served, `/api/tasks/${created.id}/events`);
  await stream.until(enters("waiting_for_input"));
  const waiting = await served.info(created.id);
  expect(waiting).toMatchObject({
    state: "waiting_for_input",
    asks: [
      {
        kind: "tool",
        accepts: ["yes", "no", "text"],
        tool: { name: "write_to_file", effect: "writes", input: { path: "a.txt", content: "two\n" } },
        paths: [{ path: "a.txt", inside: true }],
        diff: "@@ -1,1 +1,1 @@\n-one\n+two",
      },
    ],
  });
  const askId = waiting.asks[0]?.askId;
  const response = await served.post(`/api/tasks/${created.id}/asks/${askId}/answer`, { kind: "yes" });
  expect(response.status).toBe(204);
  await stream.until(enters("idle"));
  expect(await readFile(path.join(served.workspace, "a.txt"), "utf8")).toBe("two\n");
  const again = await served.post(`/api/tasks/${created.id}/words`, { text: "And more" });
  expect(again.status).toBe(200);
  await stream.until(enters("idle"));
  stream.close();
  const trace = new TraceLog(created.id, await served.trace(created.id));
  const { memory, derived } = trace.moment(trace.length - 1);
  expect(memory.log.toArray()).toEqual(served.host.tasks.get(created.id)?.log.toArray());
  expect(derived.state).toBe("idle");
  const list = taskListSchema.parse(await (await served.fetch("/api/tasks")).json());
  const asks = [{ kind: "completion_result", result: "All done." }];
  expect(list.tasks).toMatchObject([{ id: created.id, state: "idle", isOpen: true, asks }]);
});
