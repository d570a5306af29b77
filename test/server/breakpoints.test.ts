import { expect, test } from "vitest";
import { taskInfoSchema } from "../../wire/http/api.ts";
import { enters, Served, SseReader } from "./support.ts";

const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;
const DONE = "{ tool: attempt_completion, input: { result: All done. } }";

test("the events of a task are held at a breakpoint, listed in its info, and released one by one; a cancel is not held", async () => {
  await using served = await Served.open({ script: `[${WRITE}, ${DONE}]`, bounds: { listMs: 1 } });
  const { id } = await served.create("Change it");
  const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
  await stream.until(enters("waiting_for_input"));
  const cards = await SseReader.open(served, "/api/events");
  const heldIs = (types: readonly string[] | undefined) =>
    cards.until(({ data }) => {
      const card = taskInfoSchema.safeParse(JSON.parse(data));
      return card.success && JSON.stringify(card.data.held) === JSON.stringify(types);
    });
  const set = await served.post(`/api/tasks/${id}/breakpoints`, { events: ["tool.finished"] });
  expect(set.status).toBe(204);
  const [ask] = (await served.info(id)).asks;
  await served.post(`/api/tasks/${id}/asks/${ask?.askId}/answer`, { kind: "yes" });
  await heldIs(["tool.finished"]);
  expect((await served.info(id)).path).toBe("running.calling");
  await served.post(`/api/tasks/${id}/step`);
  await heldIs(["context.ready"]);
  await served.post(`/api/tasks/${id}/cancel`);
  expect((await served.info(id)).state).toBe("resumable");
  await served.post(`/api/tasks/${id}/resume`);
  await heldIs(undefined);
  stream.close();
  cards.close();
});

test("breakpoints can be read: a later client also sees them", async () => {
  await using served = await Served.open({ script: `[${WRITE}, ${DONE}]` });
  const { id } = await served.create("Change it");
  const shown = async () => (await served.fetch(`/api/tasks/${id}/breakpoints`)).json();
  expect(await shown()).toEqual({ states: [], events: [], laws: false, pause: false });
  await served.post(`/api/tasks/${id}/breakpoints`, { states: ["idle"], laws: true });
  expect(await shown()).toEqual({ states: ["idle"], events: [], laws: true, pause: false });
  await served.post(`/api/tasks/${id}/resume`);
  expect(await shown()).toEqual({ states: ["idle"], events: [], laws: true, pause: false });
});

test("a breakpoint on an event has conditions, which can be read; an unknown condition is rejected", async () => {
  await using served = await Served.open({ script: `[${WRITE}, ${DONE}]` });
  const { id } = await served.create("Change it");
  const events = [
    { type: "tool.finished", state: "running" },
    { type: "call.reviewed", tool: "read_file" },
    "timer.fired",
  ];
  expect((await served.post(`/api/tasks/${id}/breakpoints`, { events })).status).toBe(204);
  const shown = await (await served.fetch(`/api/tasks/${id}/breakpoints`)).json();
  expect(shown).toMatchObject({ events });
  const wrong = await served.post(`/api/tasks/${id}/breakpoints`, { events: [{ type: "a", file: "b" }] });
  expect([wrong.status, await wrong.json()]).toMatchObject([400, { code: "BODY_INVALID" }]);
});

test("breakpoints of a task that is not open, and invalid ones, are rejected with a code", async () => {
  await using served = await Served.open({ script: `[${DONE}]` });
  const unknown = await served.post("/api/tasks/nobody/step");
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { code: "TASK_UNKNOWN" }]);
  const { id } = await served.create("Go");
  const wrong = await served.post(`/api/tasks/${id}/breakpoints`, { states: "running" });
  expect([wrong.status, await wrong.json()]).toMatchObject([400, { code: "BODY_INVALID" }]);
});
