import { expect, test } from "vitest";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { candidatesOf } from "../../visualize/trace/explain/candidates.ts";
import { explainRecorded } from "../../visualize/trace/explain/explain-recorded.ts";
import type { TraceEvent } from "../../visualize/trace/index.ts";
import { TraceLog } from "../../visualize/trace/index.ts";
import { type TaskInfo, taskInfoSchema } from "../../wire/http/api.ts";
import { type Explanation, explainedSchema, type SupposedEvent } from "../../wire/http/explanation.ts";
import { traceEventSchema } from "../../wire/http/trace.ts";
import { enters, Served, SseReader, tracesOf } from "./support.ts";

const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;
const DONE = "{ tool: attempt_completion, input: { result: All done. } }";

interface Answered {
  readonly explanation: Explanation;
  readonly events: readonly SupposedEvent[];
}

async function explained(served: Served, id: string, body: object): Promise<Answered> {
  const response = await served.post(`/api/tasks/${id}/explain`, body);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const { explanation, events } = explainedSchema.parse(JSON.parse(text));
  return { explanation: explanation ?? expect.fail("no explanation"), events };
}

/** The transitions that an explanation says were taken, and those that the machine reported. */
const takenBy = ({ steps }: Explanation): readonly string[] =>
  steps.flatMap(({ candidates }) =>
    candidates
      .filter(({ verdict }) => verdict === "taken")
      .map(({ state, guard = "", targets }) => `${state} [${guard}] ${targets.join()}`),
  );
const reportedBy = ({ microsteps = [] }: TraceEvent): readonly string[] =>
  microsteps.flatMap(({ transitions }) =>
    transitions.map(({ source, guard = "", targets }) => `${source} [${guard}] ${targets.join()}`),
  );

const causeOf = ({ record }: TraceEvent) => (record.kind === "commit" ? record.cause?.type : undefined);

/** A task that waits for the approval of an edit, with a stream that watches its microsteps. */
async function waiting(served: Served) {
  const { id } = await served.create("Change it");
  const stream = await SseReader.open(served, `/api/tasks/${id}/events?microsteps=true`);
  const events = tracesOf(await stream.until(enters("waiting_for_input")));
  const [ask] = (await served.info(id)).asks;
  return { id, stream, events, askId: ask?.askId ?? expect.fail("no ask") };
}

test("an explanation of a record takes the transitions that the machine took, and appends the record that it appended", async () => {
  await using served = await Served.open({ script: `[${WRITE}, ${DONE}]` });
  const { id, stream, askId } = await waiting(served);
  await served.post(`/api/tasks/${id}/asks/${askId}/answer`, { kind: "yes" });
  const events = tracesOf(await stream.until(enters("idle")));
  const inspected = events.filter(
    ({ record, microsteps }) => microsteps !== undefined && record.kind === "commit" && record.cause,
  );
  let compared = 0;
  for (const event of inspected) {
    const response = await served.post(`/api/tasks/${id}/explain`, { record: event.record.seq });
    const { explanation } = explainedSchema.parse(await response.json());
    // Growth of streamed text has the number of the record before it.
    if (explanation === null || explanation.event !== causeOf(event)) continue;
    expect(takenBy(explanation)).toEqual(reportedBy(event));
    expect(explanation.broken).toBeUndefined();
    if (event.record.kind === "commit" && explanation.record?.kind === "commit") {
      expect(explanation.record.after).toBe(event.record.after);
      expect(explanation.record.log.length).toBe(event.record.log.length);
      expect(explanation.record.effects).toEqual(event.record.effects);
    }
    compared += 1;
  }
  expect(compared).toBeGreaterThan(5);
  stream.close();
});

test("a guard that the journal answers, answers as it did in the machine", async () => {
  const COMMAND = `{ tool: execute_command, input: { command: "echo hi" } }`;
  const ASK = "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }] } }";
  await using served = await Served.open({
    script: `[${WRITE}, { status: 529 }, ${COMMAND}, ${ASK}, ${DONE}]`,
  });
  const { id, stream, events, askId } = await waiting(served);
  const all = [...events];
  let ask: number | undefined = askId;
  while (ask !== undefined) {
    await served.post(`/api/tasks/${id}/asks/${ask}/answer`, answerTo(await served.info(id)));
    all.push(...tracesOf(await stream.until(({ event, data }) => event === "message" && isRest(data))));
    const { state, asks } = await served.info(id);
    ask = state === "idle" ? undefined : asks[0]?.askId;
  }
  const trace = new TraceLog(id);
  for (const { microsteps: _, ...event } of all) trace.append(event);
  let answered = 0;
  for (const { seq, record } of all) {
    const byJournal = explainRecorded(trace, seq);
    const response = await served.post(`/api/tasks/${id}/explain`, { record: record.seq });
    const exact = response.ok ? explainedSchema.parse(await response.json()).explanation : null;
    if (byJournal === undefined || exact?.event !== byJournal.event || exact.before !== byJournal.before)
      continue;
    for (const [position, { guard, verdict }] of (byJournal.steps[0]?.candidates ?? []).entries()) {
      if (verdict === "unknown" || guard === undefined) continue;
      const by = exact.steps[0]?.candidates[position];
      expect([seq, by?.guard, by?.verdict === "fails"]).toEqual([seq, guard, verdict === "fails"]);
      answered += 1;
    }
  }
  expect(answered).toBeGreaterThan(5);
  stream.close();
});

/** The answer that lets a task continue. */
const answerTo = ({ asks: [ask] }: TaskInfo) =>
  ask?.accepts.includes("yes") === true ? { kind: "yes" } : { kind: "text", text: "left" };

/** Whether the task waits for a person after an event, or rests. */
function isRest(data: string): boolean {
  const { record } = traceEventSchema.parse(JSON.parse(data));
  return record.kind === "commit" && /^(waiting_for_input|idle)/.test(record.after);
}

test("another answer is supposed at an open ask: its path, its effects, and the values that its guards read", async () => {
  await using served = await Served.open({ script: `[${WRITE}, ${DONE}]` });
  const { id, stream, askId } = await waiting(served);
  const no = { type: "ask.answered", askId, answer: { kind: "no" } };
  const { explanation, events } = await explained(served, id, { event: no });
  expect(explanation).toMatchObject({ source: "machine", before: "waiting_for_input.approval" });
  const [first] = explanation.steps;
  expect(first?.candidates.map(({ guard, verdict }) => `${guard} ${verdict}`)).toEqual([
    "isAmendment fails",
    "isPlainYes fails",
    "isNoOrText taken",
  ]);
  expect(first?.candidates[2]?.reads).toContainEqual({ path: "event.answer.kind", value: '"no"' });
  expect(first?.candidates[2]?.reads).toContainEqual({ path: "ask.id", value: String(askId) });
  expect(explanation.after).toBe("streaming.preparing");
  expect(explanation.record).toMatchObject({ kind: "commit", cause: { type: "ask.answered" } });
  expect(events).toContainEqual(expect.objectContaining({ type: "ask.answered", answer: { kind: "no" } }));
  expect(events.map(({ type }) => type)).not.toContain("timer.fired");
  stream.close();
});

test("another answer is supposed after the ask was answered, also of an ask that was open before its machine was watched", async () => {
  await using served = await Served.open({ script: `[${WRITE}, ${DONE}]` });
  const { id } = await served.create("Change it");
  const unwatched = await SseReader.open(served, `/api/tasks/${id}/events`);
  const asked = tracesOf(await unwatched.until(enters("waiting_for_input"))).at(-1)?.record.seq;
  const watched = await SseReader.open(served, `/api/tasks/${id}/events?microsteps=true`);
  await watched.until(({ event }) => event === "live");
  const [{ askId = 0 } = {}] = (await served.info(id)).asks;
  await served.post(`/api/tasks/${id}/asks/${askId}/answer`, { kind: "yes" });
  await watched.until(enters("idle"));
  const no = { type: "ask.answered", askId, answer: { kind: "no" } };
  const { explanation } = await explained(served, id, { record: asked, event: no });
  expect(explanation).toMatchObject({ before: "waiting_for_input.approval", after: "streaming.preparing" });
  unwatched.close();
  watched.close();
});

test("another event is supposed at the last record of a task that was opened again, before anything happens", async () => {
  await using served = await Served.open({ script: `[${WRITE}, ${DONE}]` });
  const { id, stream } = await waiting(served);
  stream.close();
  await served.restart();
  await served.post(`/api/tasks/${id}/open`, {});
  const watched = await SseReader.open(served, `/api/tasks/${id}/events?microsteps=true`);
  const events = tracesOf(await watched.until(({ event }) => event === "live"));
  const record = events.at(-1)?.record.seq;
  const cancel = { type: "task.cancel", origin: "user" };
  expect((await explained(served, id, { record, event: cancel })).explanation.before).toBe("resumable");
  watched.close();
});

test("a supposed event changes nothing: the task waits on, and its answer counts", async () => {
  await using served = await Served.open({ script: `[${WRITE}, ${DONE}]` });
  const { id, stream, askId } = await waiting(served);
  const before = await served.info(id);
  const { events } = await explained(served, id, { event: { type: "task.cancel", origin: "user" } });
  for (const event of events) await explained(served, id, { event });
  expect(await served.info(id)).toEqual(before);
  await served.post(`/api/tasks/${id}/asks/${askId}/answer`, { kind: "yes" });
  await stream.until(enters("idle"));
  expect((await served.info(id)).state).toBe("idle");
  stream.close();
});

test("an answer to another ask is supposed without effect: no candidate is taken", async () => {
  await using served = await Served.open({ script: `[${WRITE}, ${DONE}]` });
  const { id, stream, askId } = await waiting(served);
  const stale = { type: "ask.answered", askId: askId - 1, answer: { kind: "yes" } };
  const { explanation } = await explained(served, id, { event: stale });
  expect(explanation.steps[0]?.candidates.map(({ verdict }) => verdict)).not.toContain("taken");
  expect(explanation.after).toBe(explanation.before);
  expect(explanation.record).toBeUndefined();
  stream.close();
});

test("a question without an answer is rejected with the reason: a closed task, a forgotten record, no event", async () => {
  await using served = await Served.open({ script: `[${WRITE}, ${DONE}]` });
  const { id, stream, askId } = await waiting(served);
  const codeOf = async (taskId: string, body: object) => {
    const response = await served.post(`/api/tasks/${taskId}/explain`, body);
    return [response.status, ((await response.json()) as { code?: string }).code];
  };
  expect(await codeOf(id, { record: 0 })).toEqual([404, "MOMENT_UNKNOWN"]);
  expect(await codeOf(id, { record: 99_999 })).toEqual([404, "MOMENT_UNKNOWN"]);
  expect(await codeOf(id, { event: { type: "ask.answered", askId } })).toEqual([400, "BODY_INVALID"]);
  expect(await codeOf(id, { event: { type: "task.cancelled" } })).toEqual([400, "BODY_INVALID"]);
  expect(await codeOf(id, { event: "task.cancel" })).toEqual([400, "BODY_INVALID"]);
  expect(await codeOf("nobody", {})).toEqual([404, "TASK_UNKNOWN"]);
  stream.close();
  await served.restart();
  expect(await codeOf(id, {})).toEqual([409, "TASK_CLOSED"]);
});

test("the candidates of each state and event are the machine's own transitions, the innermost first", () => {
  const types = (path: string, type: string) =>
    candidatesOf(path, type, () => ({ passes: true, reads: [] })).map(
      ({ state, guard, verdict }) => `${state} ${guard ?? "-"} ${verdict}`,
    );
  expect(types("running.commanding", "task.cancel")).toEqual(["running - taken"]);
  expect(types("idle.delivering", "task.cancel")).toEqual(["idle.delivering - taken", "idle - passes"]);
  expect(types("no_task", "tool.output")).toEqual([
    `${taskMachine.id} isRunningCall taken`,
    `${taskMachine.id} isBackground passes`,
  ]);
});

test("PASSIVE: a fork with `keepAsk` waits for the ask that the task has answered since, and takes the other answer", async () => {
  await using served = await Served.open({ script: `[${WRITE}, ${DONE}, ${DONE}]` });
  const { id, stream, events, askId } = await waiting(served);
  const at = events.at(-1)?.record.seq;
  await served.post(`/api/tasks/${id}/asks/${askId}/answer`, { kind: "no" });
  await stream.until(enters("idle"));
  const fork = taskInfoSchema.parse(
    await (await served.post(`/api/tasks/${id}/fork`, { at, keepAsk: true })).json(),
  );
  expect(fork).toMatchObject({ isOpen: true, path: "waiting_for_input.approval", asks: [{ askId }] });
  expect((await served.post(`/api/tasks/${fork.id}/asks/${askId}/answer`, { kind: "yes" })).status).toBe(204);
  const started = await served.post(`/api/tasks/${id}/fork`, { at: 2, keepAsk: true });
  expect(await started.json()).toMatchObject({ code: expect.stringMatching(/TASK_BUSY|MOMENT_UNKNOWN/) });
  stream.close();
});
