import { filter, firstValueFrom } from "rxjs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { anthropic } from "../../adapters/index.ts";
import { DONE, openRig, type Rig, resultsOf, textsOf } from "../support/host.ts";

const TEXTS = "[{ text: Zero. }, { text: One. }, { text: Two. }, { text: Three. }]";
const CALLS = `[${["Zero.", "One.", "Two.", "Three."]
  .map((result) => `{ tool: attempt_completion, input: { result: ${result} } }`)
  .join(", ")}]`;

/** The results of all completions of a task, in order, until its queue is empty. */
async function results({ task, until }: Pick<Rig, "task" | "until">): Promise<unknown[]> {
  const offered: unknown[] = [];
  task.events$.subscribe(({ commit, snapshot: { context } }) => {
    if (commit.reports.some(({ type }) => type === "task.rested")) offered.push(context.result);
  });
  const last = until(({ commit }) => commit.after === "idle.completing");
  await task.run("Go");
  await last;
  return offered;
}

const message = (text: string): string => `<user_message>\n${text}\n</user_message>`;

describe.each([
  ["resident", {}],
  ["passivated after each commit", { maxResident: 0 }],
] as const)("queued messages with delivery one by one, of a task that is %s (QUEUE)", (_, host) => {
  test("each get a completion of their own, in order, in a conversation of texts", async () => {
    await using rig = await openRig({ script: TEXTS, queueDelivery: "one", host });
    rig.task.asks$.subscribe();
    const all = results(rig);
    for (const text of ["first", "second", "third"]) rig.task.queue(text);
    expect(await all).toEqual(["Zero.", "One.", "Two.", "Three."]);
    expect(rig.sent().map(textsOf)).toEqual([
      [message("Go")],
      [message("first")],
      [message("second")],
      [message("third")],
    ]);
  });

  test("each are the result of a completion's call", async () => {
    await using rig = await openRig({ script: CALLS, queueDelivery: "one", completion: "tool", host });
    const all = results(rig);
    for (const text of ["first", "second", "third"]) rig.task.queue(text);
    expect(await all).toEqual(["Zero.", "One.", "Two.", "Three."]);
    expect(rig.sent().slice(1).map(resultsOf)).toEqual(
      ["first", "second", "third"].map((text) => [message(text)]),
    );
  });
});

test("a message that was not delivered is still queued after the task is opened again, and delivered after the next completion (QUEUE, L11)", async () => {
  await using rig = await openRig({ script: TEXTS, queueDelivery: "one" });
  rig.task.breakpoints.set({ events: ["timer.fired"] });
  rig.task.queue("first");
  expect(await rig.task.run("Go")).toMatchObject({ result: "Zero." });
  await rig.host.close(rig.task.id);
  const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: rig.mock?.url });
  const task = await rig.host.open(rig.task.id, { model, queueDelivery: "one" });
  expect(task.state.currentAsk).toBe("resume_completed_task");
  expect(task.snapshot.context.queue).toMatchObject([{ text: "first" }]);
  expect(await task.run("Go on")).toMatchObject({ result: "One." });
  expect(await task.settled()).toMatchObject({ result: "Two." });
  expect(textsOf(rig.sent()[2] ?? [])).toEqual([message("first")]);
});

test("by default all queued messages go with the next request", async () => {
  await using rig = await openRig({ script: TEXTS });
  const all = results(rig);
  for (const text of ["first", "second"]) rig.task.queue(text);
  expect(await all).toEqual(["Zero."]);
  expect(rig.sent().map(textsOf)).toEqual([[message("Go"), message("first"), message("second")]]);
});

test("a subtask gets its queued messages with its next request: a policy reviews its completion", async () => {
  const rules = [
    `{ when: { user: and this }, turns: [${DONE}] }`,
    "{ when: { user: Count }, turns: [{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }] } }] }",
    "{ turns: [{ tool: new_task, input: { mode: code, message: Count } }, { text: Ended. }] }",
  ];
  await using rig = await openRig({ script: `rules: [${rules.join(", ")}]`, queueDelivery: "one" });
  rig.host.opened$.subscribe((child) => {
    if (child.id === rig.task.id) return;
    child.asks$.subscribe((ask) => {
      if (ask.kind === "completion") ask.approve();
      if (ask.kind !== "question") return;
      child.queue("and this");
      ask.answer("left");
    });
  });
  const end = rig.task.run("Delegate");
  (await rig.ask("tool")).approve();
  expect(await end).toMatchObject({ result: "Ended." });
});

test("a run that meets a delivery is refused, and its result schema does not apply to the message's turn", async () => {
  await using rig = await openRig({ script: TEXTS, queueDelivery: "one" });
  const { task } = rig;
  task.breakpoints.set({ events: ["timer.fired"] });
  task.queue("first");
  const held = firstValueFrom(task.breakpoints.held$.pipe(filter(({ length }) => length > 0)));
  await task.run("Go");
  await held;
  const run = task.run("Count", { result: z.number() });
  task.breakpoints.set({});
  await expect(run).rejects.toMatchObject({ code: "TASK_BUSY" });
  expect(await task.settled()).toMatchObject({ result: "One." });
  expect(JSON.stringify(rig.mock?.requests.at(-1)?.body)).not.toContain("attempt_completion");
});
