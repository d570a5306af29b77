import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { z } from "zod";
import { anthropic } from "../../adapters/index.ts";
import { userMessage } from "../../machines/conversation/notices.ts";
import { allowEverything, builtinTools, defineTool } from "../../tools/index.ts";
import { DONE, messagesOf, openRig, textsOf, writersGone } from "../support/host.ts";
import { deferred } from "../support/model.ts";
import { atCommit, completes, openSubtaskRig, scriptByMode, subtask } from "../support/subtasks.ts";
import { resultsById } from "./results.ts";

/** Half a sentence, and silence. */
const STALLS = `{ stallMs: 600000, after: 1 }, { text: "I begin to say something", chunk: 8 }`;

const parent = [
  { mode: "code", after: "new_task", turn: completes("All done.") },
  { mode: "code", turn: subtask("one") },
];

test("field failure 11: a cancel of the parent ends its subtask's command and sends no further request (L10, L16)", async () => {
  const command = '{ tool: execute_command, input: { command: "exec 9>alive; echo begun; sleep 300" } }';
  await using rig = await openSubtaskRig(scriptByMode(...parent, { mode: "one", turn: command }));
  const { host, task } = rig;
  const allEnded = writersGone(rig.dir);
  const end = task.run("Do it");
  await atCommit(host, `${task.id}.1`, ({ commit }) => commit.cause?.type === "tool.output");
  const [, child] = host.stack(task.id);
  task.cancel();
  expect(await end).toMatchObject({ state: "resumable" });
  await allEnded;
  await host.closeAll();
  expect(child?.state.state).toBe("resumable");
  expect(rig.sent()).toHaveLength(2);
});

test("field failure 11: a cancel of the parent closes its subtask's response (L10, L16)", async () => {
  const signals: (AbortSignal | null | undefined)[] = [];
  await using rig = await openSubtaskRig(scriptByMode(...parent, { mode: "one", turn: STALLS }), {
    anthropic: {
      fetch: (url, init) => {
        signals.push(init?.signal);
        return fetch(url, init);
      },
    },
  });
  const { host, task } = rig;
  const end = task.run("Do it");
  await atCommit(host, `${task.id}.1`, ({ commit }) => commit.cause?.type === "llm.text.delta");
  const child = host.focus(task.id);
  const closed = new Promise<void>((resolve) => child?.events$.subscribe({ complete: resolve }));
  task.cancel();
  expect(await end).toMatchObject({ state: "resumable" });
  await closed;
  expect(signals.map((signal) => signal?.aborted)).toEqual([false, true]);
  expect(rig.sent()).toHaveLength(2);
});

test("field failure 13: a result that comes after the cancel belongs to its own call, and the next result to the next call (L6, L12)", async () => {
  const begun = deferred();
  const released = deferred();
  const work = defineTool({
    name: "work",
    description: "Works, also after an abort.",
    inputSchema: z.object({ part: z.string() }),
    effect: "executes",
    execute: async ({ part }) => {
      begun.resolve();
      await released.promise;
      return `${part} is done`;
    },
  });
  const call = (part: string) => `{ tool: work, input: { part: ${part} } }`;
  await using rig = await openRig({
    script: `[${call("first")}, ${call("second")}, ${DONE}]`,
    tools: [...builtinTools(), work],
    policy: allowEverything(),
  });
  const cancelled = rig.task.run("Work");
  await begun.promise;
  rig.task.cancel();
  expect(await cancelled).toMatchObject({ state: "resumable" });
  const preparing = rig.until(({ commit }) => commit.after === "streaming.preparing");
  const end = rig.task.run("go on");
  await preparing;
  released.resolve();
  expect((await end).result).toBe("Done.");
  const last = rig.sent().at(-1) ?? [];
  expect(last.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
  expect(resultsById(last)).toEqual([
    ["toolu_1", "first is done"],
    ["toolu_1001", "second is done"],
  ]);
});

test("field failure 20: a cancel does not wait for an endpoint that accepts connections and never answers (L10)", async () => {
  const requested = deferred<Socket>();
  const endpoint = createServer(({ socket }) => requested.resolve(socket)).listen(0, "127.0.0.1");
  await once(endpoint, "listening");
  const address = endpoint.address();
  assert.ok(typeof address === "object" && address !== null);
  const baseURL = `http://127.0.0.1:${address.port}`;
  {
    await using rig = await openRig({
      model: anthropic({ model: "claude-sonnet-4-5", apiKey: "any", baseURL }),
    });
    const end = rig.task.run("Do it");
    const socket = await requested.promise;
    const closed = once(socket, "close");
    rig.task.cancel();
    expect(await end).toMatchObject({ state: "resumable" });
    expect(messagesOf(rig.task)).toEqual(["say:text", "say:api_req_started", "ask:resume_task"]);
    await closed;
  }
  const closed = once(endpoint, "close");
  endpoint.close();
  endpoint.closeAllConnections();
  await closed;
});

test("field failure 29: a message that was queued before the cancel is sent when the task continues, also after a restart (QUEUE, L11)", async () => {
  await using rig = await openRig({
    script: `rules: [{ when: { user: go on }, turns: [${DONE}] }, { turns: [${STALLS}] }]`,
  });
  const { host, task } = rig;
  const end = task.run("Do it");
  await rig.until(({ commit }) => commit.cause?.type === "llm.text.delta");
  expect(task.queue("Use tabs")).toMatchObject({ ok: true });
  task.cancel();
  expect(await end).toMatchObject({ state: "resumable" });
  await host.close(task.id);

  const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: rig.mock?.url });
  const again = await host.open(task.id, { model });
  expect(again.snapshot.context.queue.map(({ text }) => text)).toEqual(["Use tabs"]);
  expect((await again.run("go on")).result).toBe("Done.");
  expect(textsOf(rig.sent().at(-1) ?? [])).toEqual(
    expect.arrayContaining([userMessage("Use tabs"), userMessage("go on")]),
  );
});
