import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../machines/conversation/entry.ts";
import { NO_USAGE } from "../../machines/task/request.ts";
import type { ChatModel, ModelEvent } from "../../ports/model.ts";
import { byRules } from "../../tools/index.ts";
import type { PermissionSource } from "../../tools/policy/permission-rule.ts";
import { openRig, type Rig, resultsOf } from "../support/host.ts";
import { call } from "../support/model.ts";

const BUILT_IN: PermissionSource = { origin: "test", allow: ["tool(command_output)", "tool(stop_command)"] };
const allowing = (...commands: readonly string[]) => ({
  permissions: {
    judge: byRules({
      sources: [BUILT_IN, { origin: "test", allow: commands.map((one) => `command(${one})`) }],
    }),
  },
});

type Call = readonly [name: string, input: Readonly<Record<string, unknown>>];
type Turn = (id: string) => readonly Call[];

/** A model that knows the id of the newest command in the background. Its last turn is a text. */
const modelOf = (...turns: readonly Turn[]): ChatModel => ({
  id: "scripted",
  async *stream({ messages }): AsyncGenerator<ModelEvent> {
    const said = messages.filter(({ role }) => role === "assistant").length;
    const calls = turns[said]?.(idIn(messages)) ?? [];
    for (const [at, [name, input]] of calls.entries()) yield* call(name, input, `toolu_${said}_${at}`);
    if (calls.length === 0) yield { type: "text.delta", text: "Done." };
    if (calls.length === 0) yield { type: "block.end" };
    yield { type: "finished", stopReason: calls.length === 0 ? "end_turn" : "tool_use", usage: NO_USAGE };
  },
});

const resultsIn = (messages: readonly Entry[]): readonly string[] =>
  messages
    .flatMap(({ content }) => content.flatMap((block) => (block.type === "tool_result" ? block.content : [])))
    .flatMap((block) => (block.type === "text" ? [block.text] : []));

const idIn = (messages: readonly Entry[]): string =>
  resultsIn(messages)
    .flatMap((text) => /Its id is "(.*?)"/.exec(text)?.[1] ?? [])
    .at(-1) ?? "none";

const newest = (rig: Rig): readonly string[] => resultsOf(rig.sent().at(-1) ?? []);
const statusOf = ({ task }: Rig): string | undefined =>
  task.log.toArray().find(({ ask }) => ask === "command")?.progressStatus?.text;
const kindsOf = ({ task }: Rig): readonly string[] =>
  task.log.toArray().flatMap(({ type, ask, closing }) => (type === "ask" ? [`${ask} ${closing}`] : []));

const SERVER = "echo up; mkfifo go; cat go; echo ready; sleep 1000";
const start =
  (command: string): Turn =>
  () => [["execute_command", { command, background: true }]];

describe("a command with `background`", () => {
  test("ends its call with an id, goes on, is awaited by a pattern and terminated, and only its line is asked about", async () => {
    await using rig = await openRig({
      model: modelOf(
        start(SERVER),
        (id) => [["command_output", { id, pattern: "^ready$", wait: 60 }]],
        (id) => [["stop_command", { id }]],
      ),
    });
    const end = rig.task.run("Serve");
    (await rig.ask("command")).approve();
    await rig.until(({ commit }) => commit.cause?.type === "tool.backgrounded");
    await rig.until(({ commit }) => commit.after === "running.calling");
    expect(statusOf(rig)).toMatch(/^pid \d+$/);
    await writeFile(path.join(rig.dir, "go"), "");
    await end;
    const [, started = [], awaited = []] = rig.sent().map(resultsOf);
    expect(started.join()).toMatch(
      /^The command continues in the background: echo up; .*\nIts id is "\d+\/toolu_0_0"\. /,
    );
    expect(JSON.stringify(rig.sent()[1])).toContain("New background output");
    expect(awaited).toEqual([
      `The command runs: ${SERVER}\nThe pattern was found.\nNew output:\nup\nready\n`,
    ]);
    expect(newest(rig)).toEqual([
      `The command was terminated by SIGTERM: ${SERVER}\nThere is no new output.`,
    ]);
    expect(kindsOf(rig)).toEqual([
      "command answered",
      "command_output expired",
      "tool answered",
      "tool answered",
      "completion_result undefined",
    ]);
    expect(rig.task.snapshot.context.background).toEqual([]);
  });

  test("that ends quickly settles its call like any other", async () => {
    await using rig = await openRig({ ...allowing("echo *"), model: modelOf(start("echo quick")) });
    await rig.task.run("Run");
    expect(newest(rig).join()).toMatch(/Exit code: 0\nOutput:\nquick\n$/);
    expect(kindsOf(rig)).toContain("command_output ended");
  });

  test("is judged by the rules for its command line, as in the foreground", async () => {
    const sources = [{ origin: "test", deny: ["command(sleep *)"], allow: ["command(*)"] }];
    await using rig = await openRig({
      policy: byRules({ sources }),
      model: modelOf(start("sleep 1000")),
    });
    await rig.task.run("Run");
    expect(newest(rig).join()).toContain("is not permitted");
    expect(rig.task.log.toArray().some(({ ask }) => ask === "command_output")).toBe(false);
  });

  test("that was read is in no later environment block, and its end is reported once", async () => {
    await using rig = await openRig({
      ...allowing("*"),
      model: modelOf(start(SERVER.replace("sleep 1000", "exit 7")), (id) => [
        ["command_output", { id, wait: 60 }],
      ]),
    });
    const end = rig.task.run("Serve");
    await rig.until(({ commit }) => commit.after === "running.calling");
    await writeFile(path.join(rig.dir, "go"), "");
    await end;
    expect(newest(rig).join()).toMatch(/^The command ended with exit code 7: .*\nNew output:\nup\nready\n$/);
    const sent = JSON.stringify(rig.sent().at(-1)?.at(-1));
    expect(sent).toContain("The background command ended with exit code 7");
    expect(sent).toContain("There is no further output.");
    expect(sent).not.toContain("New background output");
  });
});

test("a process that a command left behind is listed with its id, and ends with the task", async () => {
  const command = "sleep 1000 >/dev/null 2>&1 & echo $! > pid";
  const model = modelOf(() => [["execute_command", { command }]]);
  await using rig = await openRig({ model, ...allowing("sleep *", "echo *") });
  const end = rig.task.run("Serve");
  (await rig.ask("command")).approve();
  await end;
  expect(newest(rig).join()).toContain("It ends with the task.");
  expect(JSON.stringify(rig.sent().at(-1)?.at(-1))).toContain(
    "it ended, and a process that it started still runs",
  );
  const pid = Number(await readFile(path.join(rig.dir, "pid"), "utf8"));
  expect(process.kill(pid, 0)).toBe(true);
  await rig.task.close();
  // It was killed; nobody may have reaped it.
  expect(spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout).toMatch(
    /^(Z.*)?\s*$/,
  );
});

test("a cancel ends the wait for a command, and the command with it (L10)", async () => {
  await using rig = await openRig({
    ...allowing("*"),
    model: modelOf(start(SERVER), (id) => [["command_output", { id, wait: 600 }]]),
  });
  void rig.task.run("Serve").catch(() => undefined);
  await rig.until(({ commit }) => commit.after === "running.calling");
  const pid = Number(statusOf(rig)?.slice(4));
  expect(pid).toBeGreaterThan(1);
  rig.task.cancel();
  await rig.ask("resume");
  expect(rig.task.snapshot.context.background).toEqual([]);
  await rig.task.close();
  expect(spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim()).toMatch(
    /^(Z.*)?$/,
  );
});

test("a command of an earlier run is not called stopped", async () => {
  const model = modelOf(
    start("sleep 1000"),
    () => [],
    (id) => [["command_output", { id }]],
    (id) => [["stop_command", { id }]],
  );
  await using rig = await openRig({ ...allowing("*"), model });
  await rig.task.run("Serve");
  await rig.task.close();
  const task = await rig.host.open(rig.task.id, { model, ...allowing("*") });
  await task.run("And now?");
  const results = resultsIn(task.snapshot.context.conversation.toArray()).slice(-2);
  expect(results).toHaveLength(2);
  for (const result of results) expect(result).toContain("it is not known whether it still runs");
});
