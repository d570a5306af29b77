import { filter, firstValueFrom } from "rxjs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { anthropic } from "../../../adapters/index.ts";
import { ClientError, ExtensionClient, TaskBridge, type TaskBridgeOptions } from "../../../client/index.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { answeredWhereShown } from "../../../runtime/task/run.ts";
import { allowSubtasks, defineTool } from "../../../tools/index.ts";
import { DONE, openRig, PIXEL, type Rig, type RigOptions } from "../../support/host.ts";
import { deferred } from "../../support/model.ts";
import { writingSubtasks } from "../../support/parallel-script.ts";
import {
  askOf,
  atCommit,
  completes,
  NESTED_SCRIPT,
  openSubtaskRig,
  QUESTION,
  scriptByMode,
  subtask,
} from "../../support/subtasks.ts";

const wire = (message: unknown): string => JSON.stringify(message);

/** A client in front of the rig's task: all that goes between is JSON. */
function connect(rig: Rig, options: Partial<TaskBridgeOptions> = {}) {
  const client = new ExtensionClient({ sendMessage: (message) => bridge.receive(wire(message)) });
  const messages: string[] = [];
  const bridge = new TaskBridge({
    send: (message) => {
      messages.push(wire(message));
      client.handleMessage(wire(message));
    },
    ...options,
  });
  const errors: Error[] = [];
  client.on("error", (error) => errors.push(error));
  bridge.show(rig.task);
  return { client, bridge, messages, errors };
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Holds after every commit of the task: the client has its rows and its state. */
function holdEqual({ task }: Rig, client: ExtensionClient): { readonly commits: () => number } {
  let commits = 0;
  task.events$.subscribe(({ commit }) => {
    commits += 1;
    // All rows where a step may have gone wrong; the newest while text only grows.
    const isGrowth = commit.log.every(({ type }) => type === "message.grown");
    const from = isGrowth ? task.log.length - 1 : 0;
    expect(client.getMessages().slice(from)).toEqual(plain(task.log.toArray(from)));
    expect(client.getAgentState()).toEqual(plain(task.state));
  });
  return { commits: () => commits };
}

const script = `
turns:
  - - thinking: I look first.
    - text: I read the file.
    - { tool: read_file, input: { path: a.txt } }
  - - text: Now I write.
    - { tool: write_to_file, input: { path: b/c.txt, content: "hi\\n" } }
    - { tool: execute_command, input: { command: "cat b/c.txt; exit 3" } }
  - { tool: ask_followup_question, input: { question: Which one?, follow_up: [{ text: left }, { text: right }] } }
  - { tool: attempt_completion, input: { result: All done. } }
`;

const openTask = (options: Partial<RigOptions> = {}) =>
  openRig({ script, files: { "a.txt": "hello\n" }, ...options });

describe("a client of a live task, over JSON", () => {
  test("has the task's messages and state after every commit, and the same states in the same order (L1, L2)", async () => {
    await using rig = await openTask();
    const { client, errors } = connect(rig);
    const { commits } = holdEqual(rig, client);
    const ofTask: string[] = [];
    const ofClient: string[] = [];
    rig.task.state$.subscribe(({ state }) => ofTask.push(state));
    client.state$.subscribe(({ state }) => ofClient.push(state));
    const waited: string[] = [];
    client.on("waitingForInput", ({ ask }) => {
      waited.push(ask);
      if (ask === "tool" || ask === "command") client.approve();
      if (ask === "followup") client.respond("right");
    });
    const output: string[] = [];
    const exits: unknown[] = [];
    client.on("commandOutput", ({ output: text }) => output.push(text));
    client.on("commandExited", (exit) => exits.push(exit));
    const messages: number[] = [];
    client.on("message", ({ ts }) => messages.push(ts));
    const completed = firstValueFrom(client.events$("taskCompleted"));

    expect(client.newTask("Do it")).toEqual({ sent: true });
    await completed;
    await rig.task.flushed();

    expect(waited).toEqual(["tool", "command", "followup", "completion_result"]);
    expect(errors).toEqual([]);
    expect(commits()).toBeGreaterThan(20);
    expect(ofClient).toEqual(ofTask);
    expect(messages).toEqual(rig.task.log.toArray().map(({ ts }) => ts));
    expect(output.join("")).toBe("hi\n");
    const command = rig.task.log.toArray().find(({ ask }) => ask === "command");
    expect(exits).toEqual([{ askId: command?.ts, exitCode: 3 }]);
    expect(await rig.file("b/c.txt")).toBe("hi\n");
  });

  test("sees no waiting ask between the messages of a cancel (L10)", async () => {
    await using rig = await openRig({
      script: `turns: [[{ tool: write_to_file, input: { path: a, content: "${"x".repeat(4000)}" }, chunk: 8, delayMs: 50 }]]`,
    });
    const { client } = connect(rig);
    const seen: string[] = [];
    client.on("stateChange", ({ currentState: { state, currentAsk = "" } }) => {
      if (seen.at(-1) !== `${state} ${currentAsk}`) seen.push(`${state} ${currentAsk}`);
      if (state === "streaming" && currentAsk === "tool") client.cancelTask();
    });
    const end = rig.task.settled();
    client.newTask("Write it");
    expect((await end).state).toBe("resumable");
    expect(seen).toEqual(["running ", "streaming ", "streaming tool", "resumable resume_task"]);
  });

  test("may connect late: it receives all messages, the mode and the queue first", async () => {
    await using rig = await openTask();
    const end = firstValueFrom(rig.task.asks$);
    void rig.task.run("Do it");
    await end;
    rig.task.queue("And then?");
    await rig.task.flushed();
    const { client, messages } = connect(rig);
    expect(messages).toHaveLength(1);
    expect(client.getTaskId()).toBe(rig.task.id);
    expect(client.getMessages()).toEqual(plain(rig.task.log.toArray()));
    expect(client.getAgentState()).toEqual(plain(rig.task.state));
    expect(client.getCurrentMode()).toBe("code");
    expect(client.getQueue()).toMatchObject([{ text: "And then?" }]);
  });

  test("that launches again receives the whole state again, and emits no message twice", async () => {
    await using rig = await openTask();
    const { client } = connect(rig);
    const told: number[] = [];
    client.on("message", ({ ts }) => told.push(ts));
    const waiting = firstValueFrom(client.events$("waitingForInput"));
    client.newTask("Do it");
    await waiting;
    const before = [...told];
    client.sendMessage({ type: "webviewDidLaunch" });
    expect(told).toEqual(before);
    expect(client.getMessages()).toEqual(plain(rig.task.log.toArray()));
  });
});

describe("a client of a bridge with a host", () => {
  test("sees the working subtask, answers its ask, and sees the task again (field failure 5)", async () => {
    await using rig = await openSubtaskRig(
      scriptByMode(
        { mode: "code", after: "new_task", turn: completes("All done.") },
        { mode: "code", turn: subtask("one") },
        { mode: "one", after: "ask_followup_question", turn: completes("One done.") },
        { mode: "one", turn: QUESTION },
      ),
    );
    const { client, bridge, errors } = connect(rig, { host: rig.host });
    const shown: (string | undefined)[] = [];
    client.on("stateChange", () => {
      if (shown.at(-1) !== client.getTaskId()) shown.push(client.getTaskId());
      const taskId = client.getTaskId() ?? "";
      const rows = rig.host.tasks.get(taskId)?.log.toArray() ?? [];
      for (const row of client.getMessages()) expect(rows.map(({ ts }) => ts)).toContain(row.ts);
    });
    const told: string[] = [];
    client.on("message", ({ ts }) => told.push(`${client.getTaskId()} ${ts}`));
    client.on("waitingForInput", ({ ask }) => {
      if (ask === "followup") client.respond("left");
    });
    const end = rig.task.settled();
    client.newTask("Do it");
    expect((await end).result).toBe("All done.");
    const { id } = rig.task;
    expect(shown).toEqual([id, `${id}.1`, id]);
    expect(bridge.task).toBe(rig.task);
    expect(client.getMessages()).toEqual(plain(rig.task.log.toArray()));
    expect(new Set(told).size).toBe(told.length);
    expect(errors).toEqual([]);
  });
});

describe("a client of a bridge whose task has two subtasks that ask at once", () => {
  const script = writingSubtasks("one", "two");

  test("is asked about one after the other, and each answer is for the shown one", async () => {
    await using rig = await openSubtaskRig(script, { policy: allowSubtasks() });
    const { client, errors } = connect(rig, { host: rig.host });
    const asked: (string | undefined)[] = [];
    client.on("waitingForInput", ({ ask }) => {
      if (ask !== "tool") return;
      asked.push(client.getTaskId());
      client.approve();
    });
    const end = rig.task.settled();
    client.newTask("Do it");
    expect((await end).result).toBe("All done.");
    expect(asked.toSorted()).toEqual([`${rig.task.id}.1`, `${rig.task.id}.2`]);
    expect([await rig.file("one.txt"), await rig.file("two.txt")]).toEqual(["one\n", "two\n"]);
    expect(errors).toEqual([]);
  });

  test("sees both although they worked before it came", async () => {
    await using rig = await openSubtaskRig(script, { policy: allowSubtasks() });
    const end = rig.task.run("Do it", { onAsk: answeredWhereShown });
    await Promise.all([1, 2].map((number) => askOf(rig.host, `${rig.task.id}.${number}`, "tool")));
    const { client, bridge, errors } = connect(rig, { host: rig.host });
    for (const number of [1, 2]) {
      expect(bridge.task?.id).toBe(`${rig.task.id}.${number}`);
      const childId = `${rig.task.id}.${number}`;
      const written = atCommit(rig.host, childId, ({ commit }) => commit.cause?.type === "ask.answered");
      client.approve();
      await written;
    }
    expect((await end).result).toBe("All done.");
    expect(bridge.task).toBe(rig.task);
    expect(errors).toEqual([]);
  });
});

test("a client sees the question of a subtask that worked, but did not ask, before the client came", async () => {
  const [begun, gates] = [
    [deferred<void>(), deferred<void>()],
    [deferred<string>(), deferred<string>()],
  ];
  const wait = defineTool({
    name: "wait",
    description: "Waits.",
    inputSchema: z.object({ at: z.number() }),
    effect: "reads",
    execute: ({ at }) => {
      begun[at]?.resolve();
      return gates[at]?.promise ?? "";
    },
  });
  const waits = (at: number) => `{ tool: wait, input: { at: ${at} } }`;
  await using rig = await openSubtaskRig(
    scriptByMode(
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", turn: `[${subtask("one")}, ${subtask("two")}]` },
      { mode: "one", after: "wait", turn: completes("One done.") },
      { mode: "one", turn: waits(0) },
      { mode: "two", after: "ask_followup_question", turn: completes("Two done.") },
      { mode: "two", after: "wait", turn: QUESTION },
      { mode: "two", turn: waits(1) },
    ),
    { tools: [wait] },
  );
  const end = rig.task.run("Do it", { onAsk: answeredWhereShown });
  await Promise.all(begun.map(({ promise }) => promise));
  const { client, bridge, errors } = connect(rig, { host: rig.host });
  expect(bridge.task?.id).toBe(`${rig.task.id}.1`);
  const asked = firstValueFrom(client.events$("waitingForInput"));
  gates[1]?.resolve("waited");
  await asked;
  expect(bridge.task?.id).toBe(`${rig.task.id}.2`);
  const answered = atCommit(
    rig.host,
    `${rig.task.id}.2`,
    ({ commit }) => commit.cause?.type === "ask.answered",
  );
  client.respond("left");
  await answered;
  expect(bridge.task?.id).toBe(`${rig.task.id}.1`);
  gates[0]?.resolve("waited");
  expect((await end).result).toBe("All done.");
  expect(errors).toEqual([]);
});

describe("a client of the root's bridge answers the asks of nested subtasks (L16),", () => {
  test("three deep: they are shown in place of the task, with the id of the asked one", async () => {
    await using rig = await openSubtaskRig(NESTED_SCRIPT);
    const { client, errors } = connect(rig, { host: rig.host });
    const asked: (string | undefined)[] = [];
    client.on("waitingForInput", ({ ask }) => {
      if (ask !== "followup") return;
      asked.push(client.getTaskId());
      client.respond("left");
    });
    const end = rig.task.settled();
    client.newTask("Do it");
    expect((await end).result).toBe("All done.");
    expect(asked).toEqual([`${rig.task.id}.1.1`]);
    expect(errors).toEqual([]);
  });

  test("and shows one that no task waits for by its id", async () => {
    await using rig = await openSubtaskRig(NESTED_SCRIPT);
    const { host, task } = rig;
    const showTaskWithId = (id: string) => host.tasks.get(id);
    const { client, bridge, errors } = connect(rig, { host, showTaskWithId });
    const end = task.settled();
    client.newTask("Do it");
    const childId = `${task.id}.1.1`;
    await askOf(host, childId, "question");
    client.cancelTask(childId);
    await end;
    const shown = firstValueFrom(
      client.events$("stateChange").pipe(filter(() => client.getTaskId() === childId)),
    );
    client.showTask(childId);
    await shown;
    expect(bridge.task?.id).toBe(childId);
    const completed = atCommit(host, childId, ({ commit }) => commit.cause?.type === "ask.answered");
    client.respond("later");
    await completed;
    expect(errors).toEqual([]);
  });
});

describe("an impossible request is answered with refused, and changes nothing", () => {
  async function waiting(options: Partial<TaskBridgeOptions> = {}) {
    const rig = await openTask();
    const connected = connect(rig, options);
    const wait = firstValueFrom(connected.client.events$("waitingForInput"));
    connected.client.newTask("Do it");
    const { askId } = await wait;
    await rig.task.flushed();
    const rows: readonly ClineMessage[] = rig.task.log.toArray();
    const refused = (...codes: string[]): void => {
      expect(connected.errors.splice(0)).toMatchObject(codes.map((code) => ({ code, name: "ClientError" })));
      expect(rig.task.log.toArray()).toEqual(rows);
    };
    return { rig, ...connected, askId, refused };
  }

  test("an answer to another ask, to none, or to one of another task (L8)", async () => {
    const { rig, client, bridge, askId, refused } = await waiting();
    await using _ = rig;
    client.sendMessage({ type: "askResponse", askResponse: "yesButtonClicked", askId: askId + 1 });
    refused("ASK_UNKNOWN");
    client.sendMessage({ type: "askResponse", askResponse: "yesButtonClicked", askId, taskId: "other" });
    refused("TASK_NOT_SHOWN");
    bridge.receive({ type: "askResponse", askResponse: "yesButtonClicked" });
    refused("ASK_UNNAMED");
    bridge.receive({ type: "terminalOperation", terminalOperation: "continue" });
    refused("ANSWER_REFUSED");
  });

  test("objectResponse, with its own code", async () => {
    const { rig, client, askId, refused, errors } = await waiting();
    await using _ = rig;
    client.sendResponse("objectResponse");
    expect(errors[0]).toBeInstanceOf(ClientError);
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining("objectResponse expects a `text`"),
        refusal: { of: "askResponse", askId },
      },
    ]);
    refused("OBJECT_RESPONSE");
  });

  test("a second answer to one ask: the first counts", async () => {
    const { rig, client, askId, errors } = await waiting();
    await using _ = rig;
    const refused = firstValueFrom(client.events$("error"));
    client.approve();
    client.sendMessage({ type: "askResponse", askResponse: "noButtonClicked", askId });
    expect(await refused).toMatchObject({ code: "ASK_ALREADY_ANSWERED" });
    expect(errors).toHaveLength(1);
    expect(rig.task.state.state).not.toBe("resumable");
  });

  test("a request that the agent was not configured for, and an invalid one", async () => {
    const { rig, client, bridge, errors, refused } = await waiting();
    await using _ = rig;
    client.newTask("Another");
    client.sendMessage({ type: "showTaskWithId", text: rig.task.id });
    client.sendMessage({ type: "cancelAutoApproval" });
    client.sendMessage({ type: "updateSettings", updatedSettings: {} });
    bridge.receive({ type: "requestRooModels" });
    await rig.task.flushed();
    for (const option of ["newTask", "showTaskWithId", "cancelAutoApproval", "updateSettings"])
      expect(errors.some(({ message }) => message.includes(`option \`${option}\``))).toBe(true);
    expect(errors.at(-1)?.message).not.toContain("option");
    refused("NOT_OFFERED", "NOT_OFFERED", "NOT_OFFERED", "NOT_OFFERED", "NOT_OFFERED");
    bridge.receive("{");
    bridge.receive({ type: "askResponse", askResponse: "maybe" });
    refused("INVALID_MESSAGE", "INVALID_MESSAGE");
  });

  test("a message that is not in the queue, and invalid images", async () => {
    const { rig, client, refused } = await waiting();
    await using _ = rig;
    client.removeQueuedMessage("nothing");
    client.editQueuedMessage("nothing", "words");
    client.queueMessage("words", ["no image"]);
    client.setMode("no slug");
    refused("QUEUED_UNKNOWN", "QUEUED_UNKNOWN", "OPTION_INVALID", "OPTION_INVALID");
  });

  test("any request for a closed task", async () => {
    const { rig, client, errors } = await waiting();
    await using _ = rig;
    client.queueMessage("words");
    await rig.task.flushed();
    await rig.task.close();
    client.setMode("ask");
    client.editQueuedMessage(rig.task.snapshot.context.queue[0]?.id ?? "", "others");
    expect(errors).toMatchObject([{ code: "TASK_CLOSED" }, { code: "TASK_CLOSED" }]);
  });

  test("any request without a shown task", async () => {
    const { rig, client, bridge, errors } = await waiting();
    await using _ = rig;
    const ended = rig.task.settled();
    client.clearTask();
    expect((await ended).state).toBe("resumable");
    expect(client.getCurrentState()).toBe("no_task");
    expect(bridge.task).toBeUndefined();
    client.cancelTask();
    expect(errors).toMatchObject([{ code: "NO_TASK" }]);
  });
});

test("the mode of a chosen suggestion is shown with the answer", async () => {
  const question =
    "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: Plan it, mode: architect }] } }";
  await using rig = await openRig({ script: `[${question}, ${DONE}]` });
  const { client } = connect(rig);
  const modes: unknown[] = [];
  client.on("modeChanged", (change) => modes.push(change));
  const run = rig.task.run("Do it");
  const ask = await rig.ask("question");
  const [suggestion = { answer: "none" }] = ask.suggestions;
  ask.choose(suggestion);
  await run;
  expect(modes).toEqual([{ previousMode: "code", currentMode: "architect" }]);
});

test("a switched mode and an edited message are shown once the task has them", async () => {
  await using rig = await openTask();
  const { client, errors } = connect(rig);
  const modes: unknown[] = [];
  client.on("modeChanged", (change) => modes.push(change));
  const waiting = firstValueFrom(client.events$("waitingForInput"));
  client.newTask("Do it");
  await waiting;
  // The call is judged again by the new mode, and asked about again.
  const again = firstValueFrom(client.events$("waitingForInput"));
  client.setMode("debug");
  await again;
  client.queueMessage("first");
  await rig.task.flushed();
  client.editQueuedMessage(client.getQueue()[0]?.id ?? "", "edited", [PIXEL]);
  await rig.task.flushed();
  expect(modes).toEqual([{ previousMode: "code", currentMode: "debug" }]);
  expect(client.getQueue()).toMatchObject([{ text: "edited", images: [PIXEL] }]);
  expect(client.getCurrentState()).toBe("waiting_for_input");
  expect(errors).toEqual([]);
});

test("a message is queued, shown in the client's queue, and removed again", async () => {
  await using rig = await openTask();
  const { client } = connect(rig);
  const queues: string[][] = [];
  client.on("queueChanged", (queue) => queues.push(queue.map(({ text }) => text)));
  const waiting = firstValueFrom(client.events$("waitingForInput"));
  client.newTask("Do it");
  await waiting;
  client.queueMessage("first");
  client.queueMessage("second");
  await rig.task.flushed();
  client.removeQueuedMessage(client.getQueue()[0]?.id ?? "");
  await rig.task.flushed();
  expect(queues).toEqual([["first"], ["first", "second"], ["second"]]);
});

test("a command is continued in the background or aborted by the ask about its output", async () => {
  const turns = (command: string) =>
    `turns: [{ tool: execute_command, input: { command: "${command}" } }, ${DONE}]`;
  await using rig = await openRig({ script: turns("echo begun; exec sleep 600") });
  const { client, errors } = connect(rig);
  const exited = firstValueFrom(client.events$("commandExited"));
  client.on("waitingForInput", ({ ask }) => {
    if (ask === "command") client.approve();
  });
  client.on("commandOutput", ({ output }) => {
    if (output.includes("begun")) client.abortTerminal();
  });
  const end = rig.task.settled();
  client.newTask("Wait");
  expect((await end).ask).toBe("completion");
  expect(await exited).toEqual({ askId: expect.any(Number) });
  expect(errors).toEqual([]);
});

test("newTask creates a task with the given function, shows it and runs it", async () => {
  await using rig = await openRig({ script: `turns: [${DONE}]` });
  const { client, bridge } = connect(rig, {
    newTask: () => {
      const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: rig.mock?.url });
      return rig.host.create({ model, workspace: rig.task.workspace });
    },
  });
  const done = () => firstValueFrom(client.events$("taskCompleted"));
  const [first] = await Promise.all([done(), client.newTask("One")]);
  const [second] = await Promise.all([done(), client.newTask("Two")]);
  expect(first.success && second.success).toBe(true);
  expect(bridge.task?.id).not.toBe(rig.task.id);
  expect(client.getTaskId()).toBe(bridge.task?.id);
  expect(client.getMessages()[0]?.text).toBe("Two");
});

describe("showTaskWithId", () => {
  const create = (rig: Rig) => {
    const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: rig.mock?.url });
    return rig.host.create({ model, workspace: rig.task.workspace });
  };

  test("shows the task that its option finds, and the last requested one however long each takes", async () => {
    await using rig = await openRig({ script: `turns: [${DONE}]` });
    const other = await create(rig);
    const found = new Map<string, () => void>();
    const { client, bridge } = connect(rig, {
      showTaskWithId: (id) => new Promise((resolve) => found.set(id, () => resolve(rig.host.tasks.get(id)))),
    });
    client.sendMessage({ type: "showTaskWithId", text: other.id });
    client.sendMessage({ type: "showTaskWithId", text: rig.task.id });
    found.get(rig.task.id)?.();
    found.get(other.id)?.();
    await new Promise(setImmediate);
    expect(bridge.task?.id).toBe(rig.task.id);
    client.sendMessage({ type: "showTaskWithId", text: other.id });
    found.get(other.id)?.();
    await new Promise(setImmediate);
    expect(bridge.task?.id).toBe(other.id);
    expect(client.getTaskId()).toBe(other.id);
  });

  test("of an unknown task is refused, and the shown one stays", async () => {
    await using rig = await openRig({ script: `turns: [${DONE}]` });
    const { client, bridge, errors } = connect(rig, {
      showTaskWithId: (id) => {
        if (id === "thrown") throw Object.assign(new Error("No task."), { code: "TASK_UNKNOWN" });
        return rig.host.tasks.get(id);
      },
    });
    for (const text of ["unknown", "thrown"]) client.sendMessage({ type: "showTaskWithId", text });
    await new Promise(setImmediate);
    expect(errors).toMatchObject([
      { code: "TASK_UNKNOWN", refusal: { type: "refused", of: "showTaskWithId" } },
      { code: "TASK_UNKNOWN", refusal: { type: "refused", of: "showTaskWithId" } },
    ]);
    expect(bridge.task?.id).toBe(rig.task.id);
  });
});

test("cancelAutoApproval and updateSettings call their options, whose later failures are refused too", async () => {
  await using rig = await openRig({ script: `turns: [${DONE}]` });
  const calls: unknown[] = [];
  const { client, bridge, errors } = connect(rig, {
    cancelAutoApproval: (task) => calls.push(task.id),
    updateSettings: async (settings, task) => {
      calls.push([settings, task?.id]);
      if (settings.mode === "bad") throw new Error("No such mode.");
    },
  });
  client.sendMessage({ type: "cancelAutoApproval" });
  client.sendMessage({ type: "updateSettings", updatedSettings: { mode: "bad" } });
  await new Promise(setImmediate);
  expect(errors).toMatchObject([{ code: "FAILED", refusal: { of: "updateSettings" } }]);
  bridge.show(undefined);
  client.sendMessage({ type: "updateSettings", updatedSettings: { mode: "code" } });
  expect(calls).toEqual([rig.task.id, [{ mode: "bad" }, rig.task.id], [{ mode: "code" }, undefined]]);
});

test("every state push has the task history of its option, as it is then", async () => {
  await using rig = await openRig({ script: `turns: [${DONE}]` });
  const taskHistory: { id: string }[] = [{ id: "one" }];
  const { client, bridge } = connect(rig, { taskHistory: () => taskHistory });
  const shown = (): unknown => client.getStore().getState().extensionState?.taskHistory;
  expect(shown()).toEqual([{ id: "one" }]);
  taskHistory.push({ id: "two" });
  client.launch();
  expect(shown()).toEqual([{ id: "one" }, { id: "two" }]);
  taskHistory.pop();
  bridge.show(undefined);
  expect(shown()).toEqual([{ id: "one" }]);
});
