import { expect, test } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import { denied } from "../../machines/conversation/notices.ts";
import { askAPerson, byRules } from "../../tools/index.ts";
import { DONE, openRig, type Rig, resultsOf } from "../support/host.ts";
import { stillClock } from "../support/still-clock.ts";
import { askOf, Crash, NOTE, Notes, openSubtaskRig } from "../support/subtasks.ts";
import { resultsById } from "./results.ts";

const write = (name: string) => `{ tool: write_to_file, input: { path: ${name}, content: "x\\n" } }`;
const modelOf = ({ mock }: Rig) =>
  anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock?.url });

test("field failure 2: calls of one response that need an approval are asked one by one, and the task completes (L8)", async () => {
  await using rig = await openRig({ script: `[[${write("a")}, ${write("b")}, ${write("c")}], ${DONE}]` });
  const end = rig.task.run("Write");
  for (const name of ["a", "b", "c"]) {
    const ask = await rig.ask("tool");
    expect(rig.task.asks.map(({ id }) => id)).toEqual([ask.id]);
    expect(JSON.parse(ask.text)).toMatchObject({ path: name });
    ask.approve();
  }
  expect((await end).result).toBe("Done.");
  expect(rig.sent()).toHaveLength(2);
  expect(resultsById(rig.sent()[1] ?? []).map(([id]) => id)).toEqual(["toolu_1", "toolu_2", "toolu_3"]);
});

test("field failure 3: a declined call never runs, and a task that is opened without its policy asks about each call (L7)", async () => {
  const script = `[${write("a")}, ${write("b")}, ${write("c")}, ${DONE}]`;
  await using rig = await openRig({ script, policy: askAPerson() });
  const { host, task } = rig;
  const first = task.run("Write");
  (await rig.ask("tool")).reject();
  await rig.until(({ commit }) => commit.after === "waiting_for_input.approval");
  await host.close(task.id);
  expect(await first).toMatchObject({ state: "resumable" });
  const again = await host.open(task.id, { model: modelOf(rig) });
  const end = again.run("go on");
  (await askOf(host, task.id, "tool")).reject();
  expect((await end).result).toBe("Done.");
  for (const name of ["a", "b", "c"]) await expect(rig.file(name)).rejects.toThrow("ENOENT");
});

test("field failure 6: asks of two tasks may have the same id: an answer continues its own task, and each call runs once (L7, L8)", async () => {
  const notes = new Notes();
  const script = `[[${NOTE}, ${NOTE}], ${DONE}]`;
  const options = { policy: askAPerson(), host: { clock: stillClock() } };
  await using rig = await openSubtaskRig(script, { ...options, tools: [notes.tool] });
  const { host, task } = rig;
  const other = await host.create({
    model: modelOf(rig),
    workspace: rig.dir,
    permissions: { judge: askAPerson() },
    tools: [notes.tool],
  });
  const ends = [task.run("Note it"), other.run("Note it")];
  const first = await askOf(host, task.id, "tool");
  const second = await askOf(host, other.id, "tool");
  expect(first.id).toBe(second.id);

  second.approve();
  const third = await askOf(host, other.id, "tool");
  expect(notes.count).toBe(1);
  expect(task.asks.map(({ id }) => id)).toEqual([first.id]);
  expect(third.id).not.toBe(first.id);
  expect(other.answer(second.id, { kind: "yes" })).toMatchObject({ code: "ASK_ALREADY_ANSWERED" });
  third.approve();
  first.approve();
  (await askOf(host, task.id, "tool")).approve();
  await Promise.all(ends);
  expect(notes.count).toBe(4);
});

test("field failure 8: an approval is of one call: an equal call needs its own, and each result names its call (L6, L7)", async () => {
  const notes = new Notes();
  await using rig = await openSubtaskRig(`[[${NOTE}, ${NOTE}], ${DONE}]`, {
    policy: askAPerson(),
    tools: [notes.tool],
  });
  const end = rig.task.run("Note it twice");
  (await rig.ask("tool")).approve();
  (await rig.ask("tool")).reject();
  expect((await end).result).toBe("Done.");
  expect(notes.count).toBe(1);
  expect(resultsById(rig.sent()[1] ?? [])).toEqual([
    ["toolu_1", "noted"],
    ["toolu_2", denied()],
  ]);
});

test("field failure 9: after a second approval each result is sent once, and the endpoint accepts the request (L6)", async () => {
  const notes = new Notes();
  await using rig = await openSubtaskRig(`[${NOTE}, ${NOTE}, ${DONE}]`, {
    policy: askAPerson(),
    tools: [notes.tool],
  });
  const end = rig.task.run("Note it, then note it again");
  (await rig.ask("tool")).approve();
  (await rig.ask("tool")).approve();
  expect((await end).result).toBe("Done.");
  expect(rig.sent()).toHaveLength(3);
  expect(resultsOf(rig.sent()[1] ?? [])).toEqual(["noted"]);
  expect(resultsById(rig.sent()[2] ?? [])).toEqual([
    ["toolu_1", "noted"],
    ["toolu_1001", "noted"],
  ]);
});

test("field failure 30: a task that waits for an approval is not idle: it stays open, and takes the approval later (L1, PASSIVE)", async () => {
  await using rig = await openRig({ script: `[${write("a")}, ${DONE}]`, host: { maxResident: 0 } });
  const { host, task } = rig;
  let hasEnded = false;
  const end = task.run("Write").finally(() => {
    hasEnded = true;
  });
  const ask = await rig.ask("tool");
  await task.flushed();
  await task.passivate();
  expect(task.state).toMatchObject({ state: "waiting_for_input", requiredAction: "approve" });
  expect(host.tasks.get(task.id)).toBe(task);
  expect(hasEnded).toBe(false);
  expect(ask.approve()).toEqual({ ok: true });
  expect((await end).result).toBe("Done.");
  expect(await rig.file("a")).toBe("x\n");
});

test("field failure 24: what is permitted for a session holds after a crash, in its own task and in no other (L11)", async () => {
  const policy = byRules({ sources: [] });
  const script = `[${NOTE}, ${DONE}, ${NOTE}, ${DONE}]`;
  const before = new Notes();
  await using rig = await openSubtaskRig(script, { policy, tools: [before.tool] });
  const { host, task } = rig;
  const end = task.run("Note it");
  (await rig.ask("tool")).approve({ rule: "tool(note)" });
  await end;

  const after = new Notes();
  await using copy = await new Crash(rig).open({ permissions: { judge: policy }, tools: [after.tool] });
  expect((await copy.task.run("go on")).result).toBe("Done.");
  expect(after.count).toBe(1);

  const model = modelOf(rig);
  const other = await host.create({
    model,
    workspace: rig.dir,
    permissions: { judge: policy },
    tools: [before.tool],
  });
  void other.run("Note it");
  expect(await askOf(host, other.id, "tool")).toMatchObject({ tool: { name: "note" } });
});
