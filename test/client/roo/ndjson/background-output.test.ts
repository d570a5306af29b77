import { writeFile } from "node:fs/promises";
import path from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { JsonEventEmitter } from "../../../../client/index.ts";
import type { Task } from "../../../../runtime/task/task.ts";
import { jsonEventSchema } from "../../../../wire/index.ts";
import { DONE, openRig, type Rig } from "../../../support/host.ts";

const QUESTION = "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }] } }";
const command = (line: string) => `{ tool: execute_command, input: { command: "${line}" } }`;

/** What is told of commands from now on, and resolves when the text was told. */
function listen(task: Task) {
  const stdout = new PassThrough({ highWaterMark: 1 << 24 });
  const end = new JsonEventEmitter({ mode: "stream-json", stdout }).attachToTask(task);
  const events: { id: number | undefined; output: string; exitCode?: number; done: boolean }[] = [];
  const waits: { fits: () => boolean; then: () => void }[] = [];
  stdout.on("data", (lines) => {
    for (const line of String(lines).trimEnd().split("\n")) {
      const { subtype, id, tool_result: result, done = false } = jsonEventSchema.parse(JSON.parse(line));
      if (subtype !== "command" || result === undefined) continue;
      const { output = "", exitCode } = result;
      events.push({ id, output, ...(exitCode !== undefined && { exitCode }), done });
    }
    for (const { fits, then } of waits) if (fits()) then();
  });
  const until = (fits: () => boolean): Promise<void> =>
    new Promise((then) => (fits() ? then() : waits.push({ fits, then })));
  return {
    events,
    end,
    wrote: (text: string) => until(() => events.some(({ output }) => output.includes(text))),
    ended: () => until(() => events.some(({ done }) => done)),
    pieces: () =>
      events
        .filter(({ done }) => !done)
        .map(({ output }) => output)
        .join(""),
  };
}

/** A command that writes, is left to go on, and writes and ends when the gates are opened. */
async function besideRig(exit: number): Promise<{ rig: Rig; gate: (name: string) => Promise<void> }> {
  const line = `mkfifo one two; echo begun; cat one; echo second; cat two; exit ${exit}`;
  const rig = await openRig({ script: `[${command(line)}, ${QUESTION}, ${DONE}]` });
  return { rig, gate: (name) => writeFile(path.join(rig.dir, name), "") };
}

async function leaveIt(rig: Rig, begun: () => Promise<void>): Promise<number> {
  void rig.task.run("Do it").catch(() => undefined);
  const ask = await rig.ask("command");
  if (ask.kind === "command") ask.approve();
  const output = await rig.ask("command_output");
  await begun();
  if (output.kind === "command_output") output.approve();
  await rig.ask("question");
  return ask.id;
}

describe("a command in the background", () => {
  test("is emitted with the id of the ask that approved it, until it ends with its exit code", async () => {
    const { rig, gate } = await besideRig(3);
    await using _ = rig;
    const told = listen(rig.task);
    const id = await leaveIt(rig, () => told.wrote("begun"));
    expect(told.events.some(({ done }) => done)).toBe(false);
    await gate("one");
    await told.wrote("second");
    await gate("two");
    await told.ended();
    expect(told.pieces()).toBe("begun\nsecond\n");
    expect(told.events.at(-1)).toEqual({ id, output: "", exitCode: 3, done: true });
    expect(new Set(told.events.map((event) => event.id))).toEqual(new Set([id]));
  });

  test("is emitted to a client that attaches later, from then on", async () => {
    const { rig, gate } = await besideRig(0);
    await using _ = rig;
    const first = listen(rig.task);
    const id = await leaveIt(rig, () => first.wrote("begun"));
    const late = listen(rig.task);
    await gate("one");
    await late.wrote("second");
    await gate("two");
    await late.ended();
    expect(late.pieces()).toBe("second\n");
    expect(late.events.at(-1)).toEqual({ id, output: "", exitCode: 0, done: true });
  });

  test("ends with a cancel (L10)", async () => {
    const { rig } = await besideRig(0);
    await using _ = rig;
    const told = listen(rig.task);
    const id = await leaveIt(rig, () => told.wrote("begun"));
    rig.task.cancel();
    await told.ended();
    expect(told.events.at(-1)).toEqual({ id, output: "", done: true });
  });

  test("is emitted once if its output is shown when a client attaches, with the id of the ask that approved it", async () => {
    const { rig, gate } = await besideRig(0);
    await using _ = rig;
    const first = listen(rig.task);
    void rig.task.run("Do it").catch(() => undefined);
    const ask = await rig.ask("command");
    if (ask.kind === "command") ask.approve();
    await rig.ask("command_output");
    await first.wrote("begun");
    const late = listen(rig.task);
    await gate("one");
    await late.wrote("second");
    await gate("two");
    await late.ended();
    expect(late.pieces()).toBe("begun\nsecond\n");
    expect(late.events.at(-1)).toEqual({ id: ask.id, output: "", exitCode: 0, done: true });
  });
});
