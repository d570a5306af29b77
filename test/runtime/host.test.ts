import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { fromCallback } from "xstate";
import { z } from "zod";
import { NO_USAGE } from "../../machines/task/request.ts";
import { createHost } from "../../runtime/host.ts";
import { HostError } from "../../runtime/task/errors.ts";
import { fileJournal, memoryJournal } from "../../store/index.ts";
import { encodeLine } from "../../store/journal/line.ts";
import { allowEverything, builtinTools, defineTool } from "../../tools/index.ts";
import { readTranscripts, recordsOfTranscript } from "../../visualize/trace/index.ts";
import { DONE, messagesOf, openRig, writersGone } from "../support/host.ts";
import { call, complete, deferred, scripted } from "../support/model.ts";

const model = scripted([() => complete()]);
const workspace = tmpdir();
const memory = () => createHost({ journal: () => memoryJournal() });

describe("a host", () => {
  test("creates one task of an id, also for two concurrent calls", async () => {
    const host = memory();
    const made = await Promise.allSettled([1, 2].map(() => host.create({ model, workspace, id: "one" })));
    expect(made.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(made[1]).toMatchObject({
      reason: { code: "TASK_EXISTS", message: expect.stringContaining("one") },
    });
    await expect(host.create({ model, workspace, id: "one" })).rejects.toMatchObject({ code: "TASK_EXISTS" });
    await host.close("one");
    expect(host.tasks.size).toBe(0);
    await host.create({ model, workspace, id: "one" });
    await host.closeAll();
  });

  test("does not open a session of another agent, and leaves its journal as it is", async () => {
    const driver = memoryJournal();
    const content =
      '{"type":"user","sessionId":"s1","timestamp":"2026-11-01T10:00:00Z","message":{"role":"user","content":"Fix it"}}';
    const { transcripts } = readTranscripts([{ name: "s1.jsonl", content }]);
    const lines = transcripts.flatMap(recordsOfTranscript).map(encodeLine);
    await driver.append(lines);
    const host = createHost({ journal: () => driver });
    await expect(host.open("s1", { model })).rejects.toMatchObject({
      code: "TASK_READ_ONLY",
      message: expect.stringContaining("Give its text to a new task."),
    });
    expect(host.tasks.size).toBe(0);
    let left = "";
    for await (const bytes of driver.read()) left += Buffer.from(bytes).toString();
    expect(left).toBe(`${lines.join("\n")}\n`);
    await host.closeAll();
  });

  test("accepts no task when it is closed, and closes those that are being created", async () => {
    const host = memory();
    const late = host.create({ model, workspace });
    await host.closeAll();
    await expect(host.create({ model, workspace })).rejects.toMatchObject({ code: "HOST_CLOSED" });
    await expect((await late).run("Do it")).rejects.toMatchObject({ code: "TASK_CLOSED" });
    expect(host.tasks.size).toBe(0);
    await host.closeAll();
  });

  test.each([
    ["is missing", "/no/such/folder", "NOT_FOUND"],
    ["is a file", process.execPath, "NOT_A_FOLDER"],
  ])("rejects a workspace that %s, and frees the id", async (_, folder, code) => {
    const host = memory();
    await expect(host.create({ model, workspace: folder, id: "x" })).rejects.toMatchObject({ code });
    await host.create({ model, workspace, id: "x" });
    await host.closeAll();
  });

  test.each([
    ["no model", { model: undefined }, "model"],
    ["a model without a stream", { model: { id: "m" } }, "model.stream"],
    ["both model and models", { models: { default: model } }, "expected either model or models"],
    [
      "a name for no model",
      { model: undefined, models: { default: model, named: { fast: { id: "x" } } } },
      "models.named.fast.stream",
    ],
    ["a negative limit", { limits: { retries: -1 } }, "limits.retries"],
    ["a limit that is not a number", { limits: { cost: Number.NaN } }, "limits.cost"],
    ["a limit as text", { limits: { mistakes: "3" } }, "limits.mistakes"],
    ["half a request", { limits: { requests: 0.5 } }, "limits.requests"],
    ["an unknown limit", { limits: { retrys: 1 } }, "unknown retrys; expected mistakes, repetitions"],
    ["an unknown option", { polcy: allowEverything() }, "unknown polcy; expected model, models"],
    ["an id with a path", { id: "../elsewhere" }, "id: expected 1 to 128 letters"],
    [
      "a judge that is no function",
      { permissions: { judge: "allow" } },
      "permissions.judge: expected a function",
    ],
    ["an unknown completion", { completion: "text" }, "completion: "],
    ["an unknown delivery of queued messages", { queueDelivery: "two" }, "queueDelivery: "],
    ["an idle timeout of 0", { llm: { idleTimeoutMs: 0 } }, "llm.idleTimeoutMs"],
    ["undefined as a tool", { tools: [undefined] }, "tools[0]"],
  ])("rejects %s with the option's name", async (_, wrong, words) => {
    const host = memory();
    const options = { model, workspace, ...wrong } as unknown as Parameters<typeof host.create>[0];
    await expect(host.create(options)).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining(words),
    });
    expect(host.tasks.size).toBe(0);
  });

  test("rejects its own invalid options by their names", () => {
    const options = { dataDir: 5, jurnal: 1 } as unknown as Parameters<typeof createHost>[0];
    expect(() => createHost(options)).toThrow(HostError);
    expect(() => createHost(options)).toThrow(/dataDir: .*unknown jurnal; expected dataDir, journal/s);
  });
});

describe("a task that is closed", () => {
  test("while a tool runs has terminated the tool's process tree, and can be closed twice", async () => {
    await using rig = await openRig({
      script: `[{ tool: execute_command, input: { command: "exec 9>alive; sleep 300 & echo begun; wait" } }]`,
      policy: allowEverything(),
    });
    const everyoneGone = writersGone(rig.dir);
    const end = rig.task.run("Do it");
    await rig.until(({ commit }) => commit.cause?.type === "tool.output");
    const closings = [rig.task.close(), rig.host.close(rig.task.id), rig.host.closeAll()];
    await everyoneGone;
    expect(await end).toMatchObject({ state: "resumable" });
    await Promise.all(closings);
    await rig.task.close();
  });

  test("waits for a running tool, and records its result", async () => {
    const memoryDriver = memoryJournal();
    const stopped = deferred();
    const tool = defineTool({
      name: "slow",
      description: "Ends when it is stopped.",
      inputSchema: z.object({}),
      effect: "executes",
      execute: (_, { signal }) =>
        new Promise<string>((resolve) => {
          stopped.resolve();
          signal.addEventListener("abort", () => resolve("half of the work"));
        }),
    });
    await using rig = await openRig({
      model: scripted([
        async function* () {
          yield* call("slow", {});
          yield* complete();
        },
      ]),
      tools: [...builtinTools(), tool],
      policy: allowEverything(),
      journal: () => memoryDriver,
    });
    void rig.task.run("Do it");
    await stopped.promise;
    await rig.task.close();
    const bytes = [];
    for await (const piece of memoryDriver.read()) bytes.push(piece);
    expect(Buffer.concat(bytes).toString()).toMatch(/"kind":"effect.end".*half of the work/);
  });

  test("rejects later calls with TASK_CLOSED", async () => {
    await using rig = await openRig({ script: `[${DONE}]` });
    const rested = rig.task.settled();
    rested.catch(() => {});
    await rig.task.close();
    await expect(rested).rejects.toMatchObject({ code: "TASK_CLOSED" });
    await expect(rig.task.run("Do it")).rejects.toMatchObject({ code: "TASK_CLOSED" });
    await expect(rig.task.settled()).rejects.toMatchObject({ code: "TASK_CLOSED" });
    expect(rig.task.queue("hello")).toMatchObject({ ok: false, code: "TASK_CLOSED" });
    expect(rig.task.answer(1, { kind: "yes" })).toMatchObject({ ok: false });
    rig.task.cancel();
    expect(rig.task.asks).toEqual([]);
  });
});

test("a task rejects a second run() with TASK_BUSY while it runs", async () => {
  await using rig = await openRig({ script: `[${DONE}]` });
  const end = rig.task.run("Do it");
  await expect(rig.task.run("Do it")).rejects.toMatchObject({ code: "TASK_BUSY" });
  await end;
  const again = await Promise.allSettled([rig.task.run("a"), rig.task.run("b")]);
  expect(again.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

describe("a broken task", () => {
  const usage = JSON.parse("null");

  test("rejects its run() with the cause, leaves its host, and aborts its model's stream", async () => {
    const stopped = deferred();
    await using rig = await openRig({
      model,
      mayReportErrors: true,
      actors: () => ({
        llm: fromCallback(({ input: { requestId }, sendBack }) => {
          sendBack({ type: "llm.usage", requestId, at: 1, usage });
          sendBack({ type: "llm.text.delta", requestId, at: 2, index: 0, text: "I begin" });
          return stopped.resolve;
        }),
      }),
    });
    const end = rig.task.run("Do it");
    end.catch(() => {});
    await rig.until(({ commit }) => commit.cause?.type === "llm.text.delta");
    // Invalid usage can't be summed: the machine throws when it closes the request.
    rig.task.cancel();
    await expect(end).rejects.toMatchObject({
      name: "HostError",
      code: "TASK_BROKEN",
      message: expect.stringContaining("can't continue in this process: "),
      cause: expect.any(TypeError),
    });
    await stopped.promise;
    expect(rig.errors).toEqual([expect.any(TypeError)]);
    expect(rig.host.tasks.size).toBe(0);
    expect(rig.task.queue("hello")).toMatchObject({ ok: false, code: "TASK_CLOSED" });
    await expect(rig.task.run("again")).rejects.toMatchObject({ code: "TASK_BROKEN" });
    rig.task.cancel();
    await rig.task.close();
  });

  test("terminates the process tree of its running command", async () => {
    const command = "exec 9>alive; echo begun; sleep 300";
    const input = { command };
    const text = "I go on";
    const responses = [
      (callId: string) => [
        { type: "llm.tool.start", index: 0, callId, toolUseId: "a", name: "execute_command", ask: "command" },
        { type: "llm.tool.end", callId, input },
        {
          type: "llm.finished",
          stopReason: "tool_use",
          content: [{ type: "tool_use", id: "a", name: "execute_command", input }],
          usage: NO_USAGE,
        },
      ],
      () => [{ type: "llm.finished", stopReason: "end_turn", content: [{ type: "text", text }], usage }],
    ];
    await using rig = await openRig({
      model,
      actors: () => ({
        llm: fromCallback(({ input: { requestId }, sendBack }) => {
          const events = responses.shift()?.(`${requestId}/a`) ?? [];
          for (const event of events) sendBack({ ...event, requestId, at: Date.now() });
        }),
      }),
      policy: allowEverything(),
      mayReportErrors: true,
    });
    const everyoneGone = writersGone(rig.dir);
    const end = rig.task.run("Do it");
    end.catch(() => {});
    const ask = await rig.ask("command_output");
    await rig.until(({ commit }) => commit.cause?.type === "tool.output");
    ask.approve();
    await expect(end).rejects.toMatchObject({ code: "TASK_BROKEN" });
    await everyoneGone;
    expect(rig.task.asks).toEqual([]);
  });
});

test("a data folder that can't be written settles the task with a clear message, and the task resumes when it can be written", async () => {
  const base = await mkdtemp(path.join(tmpdir(), "denied-"));
  await writeFile(path.join(base, "tasks"), "This is a file where a folder should be.");
  await using rig = await openRig({
    script: `[${DONE}]`,
    journal: (id) => fileJournal({ dir: path.join(base, "tasks", id) }),
  });

  await expect(rig.task.run("Do it")).rejects.toMatchObject({ name: "JournalError", code: "JOURNAL_IO" });
  expect(rig.task.state.state).toBe("resumable");
  expect(rig.shown.map(({ durable }) => durable)).toEqual([false]);
  expect(messagesOf(rig.task)).toEqual(["say:text", "say:error", "ask:resume_task"]);
  expect(rig.task.log.at(1)?.text).toContain(path.join(base, "tasks", rig.task.id));
  await expect(rig.task.run("go on")).rejects.toMatchObject({ name: "JournalError", code: "JOURNAL_IO" });

  await rm(path.join(base, "tasks"));
  expect((await rig.task.run("go on")).result).toBe("Done.");
  expect(rig.shown.slice(1).every(({ durable }) => durable)).toBe(true);
  await rm(base, { recursive: true });
});
