import { writeFile } from "node:fs/promises";
import path from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { connectTask, JsonEventEmitter } from "../../../../client/index.ts";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import { createMockClient } from "../../../../testing/index.ts";
import { jsonEventSchema } from "../../../../wire/index.ts";
import type { ParsedJsonEvent } from "../../../../wire/ndjson/event.ts";
import { DONE, openRig } from "../../../support/host.ts";

/** An emitter whose commands end when a test lets the wait for their last message pass. */
function listen() {
  const stdout = new PassThrough({ highWaterMark: 1 << 24 });
  const waits: (() => void)[] = [];
  const clock = {
    now: () => 0,
    after(_ms: number, then: () => void) {
      waits.push(then);
      return () => {};
    },
  };
  const emitter = new JsonEventEmitter({ mode: "stream-json", stdout, clock });
  const events = (): ParsedJsonEvent[] =>
    String(stdout.read() ?? "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => jsonEventSchema.parse(JSON.parse(line)));
  return {
    emitter,
    events,
    waited: () => {
      for (const then of waits.splice(0)) then();
    },
  };
}

/** A listened client with an approved command, ask 1000. */
function commanded() {
  const listened = listen();
  const { client } = createMockClient();
  listened.emitter.attachToClient(client);
  const show = (message: ClineMessage): void =>
    client.handleMessage({ type: "messageUpdated", clineMessage: message });
  show({ ts: 1, type: "say", say: "text", text: "Go" });
  show({ ts: 1000, type: "ask", ask: "command", text: "make" });
  listened.events();
  return { ...listened, show };
}

const outputs = (events: readonly ParsedJsonEvent[]): unknown[] =>
  events.map(({ id, tool_result, done }) => [id, tool_result?.output, tool_result?.exitCode, done]);

describe("snapshots of a command's output", () => {
  test("belong to the last command, and only what is new of each is emitted", () => {
    const { emitter, events, show } = commanded();
    for (const snapshot of ["one\n", "one\n", "one\ntwo\n"]) emitter.emitCommandOutputChunk(snapshot);
    show({ ts: 1001, type: "say", say: "command_output", text: "one\n", partial: true });
    expect(outputs(events())).toEqual([
      [1000, "one\n", undefined, undefined],
      [1000, "two\n", undefined, undefined],
    ]);
    show({ ts: 1002, type: "ask", ask: "command", text: "ls", partial: true });
    events();
    emitter.emitCommandOutputChunk("a.txt\n");
    expect(outputs(events())).toEqual([[1002, "a.txt\n", undefined, undefined]]);
  });

  test("before any command are not emitted: no ask approved them", () => {
    const { emitter, events } = listen();
    emitter.attachToClient(createMockClient().client);
    events();
    emitter.emitCommandOutputChunk("one\n");
    emitter.markCommandOutputExited(0);
    emitter.emitCommandOutputDone(0);
    expect(events()).toEqual([]);
  });

  test("end with the last message, whose event has what a fast exit left, the exit code and done", () => {
    const { emitter, events, show, waited } = commanded();
    emitter.emitCommandOutputChunk("one\n");
    emitter.markCommandOutputExited(3);
    show({ ts: 1001, type: "say", say: "command_output", text: "one\ntwo\n" });
    waited();
    const told = events();
    expect(outputs(told)).toEqual([
      [1000, "one\n", undefined, undefined],
      [1000, "two\n", 3, true],
    ]);
    expect(told.at(-1)?.tool_result).toEqual({ name: "execute_command", output: "two\n", exitCode: 3 });
  });

  test("end without a last message after the wait, or at once where the command is known to be done", () => {
    const waiting = commanded();
    waiting.emitter.emitCommandOutputChunk("one\n");
    waiting.emitter.markCommandOutputExited(3);
    expect(waiting.events()).toHaveLength(1);
    waiting.waited();
    waiting.emitter.emitCommandOutputChunk("one\nlate");
    waiting.show({ ts: 1001, type: "say", say: "command_output", text: "one\nlate" });
    expect(outputs(waiting.events())).toEqual([[1000, undefined, 3, true]]);

    const ended = commanded();
    ended.emitter.markCommandOutputExited(4);
    ended.emitter.emitCommandOutputDone();
    ended.emitter.emitCommandOutputDone(5);
    expect(outputs(ended.events())).toEqual([[1000, undefined, 4, true]]);
  });
});

test("a shortened last message of a command repeats nothing", () => {
  const { events, show } = commanded();
  show({ ts: 1001, type: "say", say: "command_output", text: "one\ntwo\nthree\n", partial: true });
  show({ ts: 1001, type: "say", say: "command_output", text: "one\n...\n", exitCode: 0 });
  expect(outputs(events())).toEqual([
    [1000, "one\ntwo\nthree\n", undefined, undefined],
    [1000, undefined, 0, true],
  ]);
});

test("a streamed command ends with its full input and no content", () => {
  const { events, show } = commanded();
  show({ ts: 1002, type: "ask", ask: "command", text: "ls", partial: true });
  show({ ts: 1002, type: "ask", ask: "command", text: "ls -l" });
  const base = { type: "tool_use", subtype: "command", id: 1002 };
  expect(events()).toEqual([
    { ...base, content: "ls", tool_use: { name: "execute_command", input: { command: "ls" } } },
    { ...base, askId: 1002, tool_use: { name: "execute_command", input: { command: "ls -l" } }, done: true },
  ]);
});

test("a command of a client that is connected to a task has its output and its end once", async () => {
  const script = `[{ tool: execute_command, input: { command: "mkfifo gate; echo one; cat gate; echo two" } }, ${DONE}]`;
  await using rig = await openRig({ script });
  const { emitter, events } = listen();
  const { client } = connectTask(rig.task, { host: rig.host });
  emitter.attachToClient(client);
  client.on("waitingForInput", ({ ask }) => ask === "command" && client.approve());
  client.once("commandOutput", () => writeFile(path.join(rig.dir, "gate"), ""));
  await rig.task.run("Go");
  const told = events().filter(({ type }) => type === "tool_result");
  expect(told.map(({ tool_result }) => tool_result?.output ?? "").join("")).toBe("one\ntwo\n");
  expect(told.filter(({ done }) => done === true)).toHaveLength(1);
  expect(new Set(told.map(({ id }) => id)).size).toBe(1);
});
