import { PassThrough } from "node:stream";
import { EMPTY, lastValueFrom } from "rxjs";
import { expect, test } from "vitest";
import { RequestIds } from "../../../cli/stream/request-ids.ts";
import { StreamSession } from "../../../cli/stream/session.ts";
import { JsonEventEmitter } from "../../../client/index.ts";
import { allowSubtasks, builtinTools } from "../../../tools/index.ts";
import { jsonEventSchema, type StdinCommand } from "../../../wire/index.ts";
import { openRig } from "../../support/host.ts";
import { writingSubtasks } from "../../support/parallel-script.ts";
import { stillClock } from "../../support/still-clock.ts";
import { askOf, MODES } from "../../support/subtasks.ts";

/** A session whose task has two subtasks that both ask whether they may write. */
async function openSession() {
  const rig = await openRig({
    script: writingSubtasks("one", "two"),
    policy: allowSubtasks(),
    modes: MODES,
    tools: [...builtinTools()],
    host: { clock: stillClock() },
  });
  const stdout = new PassThrough();
  const ids = new RequestIds();
  const emitter = new JsonEventEmitter({
    mode: "stream-json",
    stdout,
    capabilities: [],
    requestIdProvider: (event) => ids.of(event),
  });
  const session = new StreamSession({
    ...{ host: rig.host, emitter, ids, clock: stillClock() },
    newId: () => rig.task.id,
    create: async () => rig.task,
    exitOnError: false,
    withMessages: false,
    leave: () => {},
  });
  await session.handle({ command: "start", requestId: "s", prompt: "Go" });
  const asks = await Promise.all([1, 2].map((number) => askOf(rig.host, `${rig.task.id}.${number}`, "tool")));
  let lines = "";
  return {
    rig,
    asks,
    childId: (number: number): string => `${rig.task.id}.${number}`,
    handle: (command: StdinCommand): Promise<void> => session.handle(command),
    async events() {
      await emitter.flushed();
      lines += String(stdout.read() ?? "");
      return lines
        .split("\n")
        .filter(Boolean)
        .map((line) => jsonEventSchema.parse(JSON.parse(line)));
    },
    async [Symbol.asyncDispose]() {
      session.close();
      await rig[Symbol.asyncDispose]();
    },
  };
}

test("the asks of subtasks that work at once are answered and amended by their ids, also beside the one in focus", async () => {
  await using session = await openSession();
  const { rig, asks, handle, childId } = session;
  const [one, two] = asks;
  expect(rig.host.focus(rig.task.id)?.id).toBe(childId(1));
  await handle({ command: "proposal", requestId: "p", askId: two?.id ?? 0, taskId: childId(2) });
  await handle({
    command: "reject",
    requestId: "r",
    askId: two?.id ?? 0,
    taskId: childId(2),
    prompt: "not two",
  });
  await handle({ command: "approve", requestId: "a", askId: one?.id ?? 0 });
  await rig.ask("completion");
  const events = (await session.events()).filter(
    ({ type, subtype }) => type === "control" && subtype !== "ack",
  );
  expect(events.map(({ requestId, code }) => `${requestId}: ${code}`)).toEqual([
    "p: proposal",
    "r: responded",
    "a: responded",
    "s: task_completed",
  ]);
  expect(events[0]?.proposal).toMatchObject({ path: "two.txt", after: "two\n" });
  expect(await rig.file("one.txt")).toBe("one\n");
  expect(JSON.stringify(rig.sent())).toContain("not two");
});

test("an answer that names a subtask which has ended is refused, although another has an ask of the same id (L7)", async () => {
  await using session = await openSession();
  const { rig, asks, handle, childId } = session;
  const askId = asks[0]?.id ?? 0;
  const ended = lastValueFrom(rig.host.tasks.get(childId(1))?.events$ ?? EMPTY);
  await handle({ command: "reject", requestId: "r", askId, taskId: childId(1) });
  await ended;
  expect(rig.host.focus(rig.task.id)?.id).toBe(childId(2));
  for (const taskId of [childId(1), "no-such-task"])
    for (const command of ["approve", "proposal"] as const)
      await handle({ command, requestId: `${command} ${taskId}`, askId, taskId });
  expect(rig.task.treeAsks.map(({ path }) => path.at(-1))).toEqual([childId(2)]);
  const refused = (await session.events()).filter(({ subtype }) => subtype === "error");
  expect(refused.map(({ code, content }) => `${code}: ${content}`)).toEqual(
    [childId(1), childId(1), "no-such-task", "no-such-task"].map(
      (taskId) => `ask_unknown: no open ask of task ${taskId} has the id ${askId}`,
    ),
  );
  await handle({ command: "approve", requestId: "two", askId, taskId: childId(2) });
  await rig.ask("completion");
  expect(await rig.file("two.txt")).toBe("two\n");
});

test("an id that two subtasks have in common answers neither, unless the command names the task", async () => {
  await using session = await openSession();
  const { rig, asks, handle, childId } = session;
  const [one, two] = asks;
  expect(one?.id).toBe(two?.id);
  await handle({ command: "approve", requestId: "a", askId: one?.id ?? 0 });
  expect(rig.task.treeAsks).toHaveLength(2);
  const refused = (await session.events()).find(
    ({ requestId, subtype }) => requestId === "a" && subtype === "error",
  );
  expect(refused).toMatchObject({
    code: "ask_ambiguous",
    content: expect.stringContaining(`${childId(1)}, ${childId(2)}`),
  });
  for (const number of [1, 2])
    await handle({
      command: "approve",
      requestId: `${number}`,
      askId: one?.id ?? 0,
      taskId: childId(number),
    });
  await rig.ask("completion");
  expect([await rig.file("one.txt"), await rig.file("two.txt")]).toEqual(["one\n", "two\n"]);
});
