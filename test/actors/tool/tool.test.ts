import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AnyActorRef, createActor, sendTo, setup } from "xstate";
import { z } from "zod";
import { CallTracker } from "../../../actors/calls/call-tracker.ts";
import type { EndedCall } from "../../../actors/calls/started-calls.ts";
import { type Edge, immediateEdge } from "../../../actors/protocol/edge.ts";
import { digestOf } from "../../../actors/review/digest.ts";
import { type ToolLimits, toolActor } from "../../../actors/tool/tool.ts";
import { systemShell } from "../../../adapters/shell/shell.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { ToolEvent } from "../../../machines/task/task.events.ts";
import type { ActorInputs, ToolCommand } from "../../../machines/task/task.setup.ts";
import {
  builtinTools,
  defineTool,
  type RunPorts,
  type Tool,
  ToolError,
  type ToolResult,
} from "../../../tools/index.ts";
import { stillClock } from "../../support/still-clock.ts";

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "tool-")));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** A tool whose runs the test settles. */
function manualTool(name: string, effect: "writes" | "reads" = "writes") {
  const runs: {
    ports: RunPorts;
    resolve: (result: ToolResult | string) => void;
    reject: (error: unknown) => void;
  }[] = [];
  let began: () => void = () => {};
  const tool = defineTool({
    name,
    description: "",
    inputSchema: z.object({ a: z.string().optional() }),
    effect,
    execute: (_input, ports) =>
      new Promise((resolve, reject) => {
        runs.push({ ports, resolve, reject });
        began();
      }),
  });
  const nextRun = () =>
    new Promise<void>((resolve) => {
      began = resolve;
    });
  return { tool, runs, nextRun };
}

interface Bench {
  readonly calls: CallTracker;
  readonly recorded: EndedCall[];
  start(name: string, input?: Record<string, unknown>, change?: Partial<ActorInputs["tool"]>): Run;
}
interface Run {
  readonly seen: ToolEvent[];
  readonly terminal: Promise<ToolEvent>;
  readonly firstOutput: Promise<void>;
  send(event: Extract<ToolCommand, { type: "tool.abort" }>): void;
  stop(): void;
}

async function bench(
  tools: readonly Tool[],
  edge: Partial<Edge> = {},
  limits: ToolLimits = {},
): Promise<Bench> {
  const recorded: EndedCall[] = [];
  const full = { ...immediateEdge, ...edge };
  const calls = new CallTracker({
    clock: full.clock,
    quiesceDeadlineMs: 5_000,
    onEnd: (call) => recorded.push(call),
  });
  const workspace = await openWorkspace(root);
  const shell = systemShell();
  const logic = toolActor(full, { tools, workspace, shell, reports: calls, stopped: calls }, limits);
  let count = 0;
  return {
    calls,
    recorded,
    start(name, input = {}, change = {}) {
      count += 1;
      const callId = `call${count}`;
      const decision = { callId, digest: digestOf(name, input), by: { person: true }, at: 0 } as const;
      const seen: ToolEvent[] = [];
      let end: (event: ToolEvent) => void = () => {};
      let show: () => void = () => {};
      const firstOutput = new Promise<void>((resolve) => {
        show = resolve;
      });
      const terminal = new Promise<ToolEvent>((resolve) => {
        end = resolve;
      });
      const machine = setup({
        types: { events: {} as ToolEvent | Extract<ToolCommand, { type: "tool.abort" }> },
        actors: { tool: logic },
      }).createMachine({
        invoke: { id: "tool", src: "tool", input: { callId, name, input, decision, ...change } },
        on: {
          "tool.abort": {
            actions: sendTo(({ self }): AnyActorRef => self.getSnapshot().children.tool!, {
              type: "tool.abort",
            }),
          },
          "*": {
            actions: ({ event }) => {
              if (event.type === "tool.abort") return;
              seen.push(event);
              if (event.type === "tool.output") show();
              else if (event.type !== "tool.progress") end(event);
            },
          },
        },
      });
      const actor = createActor(machine).start();
      return { seen, terminal, firstOutput, send: (event) => actor.send(event), stop: () => actor.stop() };
    },
  };
}

const textOf = (event: ToolEvent): string =>
  event.type === "tool.failed" ? event.error : JSON.stringify(event);

describe("a tool call runs under its decision", () => {
  test("and sends its result as the only terminal event", async () => {
    const { start, recorded } = await bench(builtinTools());
    const input = { path: "a.txt", content: "x" };
    expect(await start("write_to_file", input).terminal).toMatchObject({
      type: "tool.finished",
      callId: "call1",
    });
    expect(recorded).toMatchObject([{ callId: "call1", failed: false, stopped: false }]);
  });

  test("L7: and not under a decision for another call, name or arguments", async () => {
    const { tool, runs } = manualTool("hand");
    const { start } = await bench([tool, ...builtinTools()]);
    const at = { by: { person: true }, at: 0 } as const;
    for (const decision of [
      { ...at, callId: "other", digest: digestOf("hand", { a: "x" }) },
      { ...at, callId: "call2", digest: digestOf("hand", { a: "y" }) },
      { ...at, callId: "call3", digest: digestOf("read_file", { a: "x" }) },
    ]) {
      const event = await start("hand", { a: "x" }, { decision }).terminal;
      expect(textOf(event)).toContain("was not run: expected a decision for this call and these arguments");
    }
    expect(runs).toEqual([]);
  });

  test("L7, L12: and only once", async () => {
    const { tool, runs, nextRun } = manualTool("hand");
    const { start } = await bench([tool]);
    const begun = nextRun();
    const first = start("hand");
    await begun;
    const again = {
      callId: "call1",
      decision: { callId: "call1", digest: digestOf("hand", {}), by: { person: true }, at: 0 },
    } as const;
    expect(textOf(await start("hand", {}, again).terminal)).toContain("Tool call call1 was already started");
    runs[0]?.resolve("done");
    expect(await first.terminal).toMatchObject({
      type: "tool.finished",
      content: [{ type: "text", text: "done" }],
    });
    expect(runs).toHaveLength(1);
  });

  test("and fails with a text if the tool throws, returns no content or reports a failure", async () => {
    const make = (name: string, run: () => ToolResult | string) =>
      defineTool({ name, description: "", inputSchema: z.object({}), effect: "none", execute: run });
    const { start } = await bench([
      make("throws", () => {
        throw new TypeError("boom");
      }),
      make("wrong", () => JSON.parse("{}")),
      make("says", () => ({ content: [{ type: "text", text: "It broke." }], failed: true })),
      make("empty", () => ({ content: [] })),
    ]);
    expect(textOf(await start("throws").terminal)).toBe("TypeError: boom");
    expect(textOf(await start("wrong").terminal)).toContain("wrong returned a result without content");
    expect(textOf(await start("says").terminal)).toBe("It broke.");
    expect(await start("empty").terminal).toMatchObject({
      content: [{ text: "(tool did not return anything)" }],
    });
    expect(textOf(await start("unknown").terminal)).toContain("Unknown tool 'unknown'");
  });

  test("and sends the output and exit code of a command with the terminal event", async () => {
    const { start } = await bench(builtinTools());
    const run = start("execute_command", { command: "echo a; exit 2" });
    expect(await run.terminal).toMatchObject({
      type: "tool.finished",
      command: { output: "a\n", exitCode: 2 },
    });
    expect(run.seen.map((event) => event.type)).toEqual(["tool.output", "tool.finished"]);
  });
});

describe("output", () => {
  test("is batched by frame, and pending output is sent before the terminal event", async () => {
    const clock = stillClock();
    const { tool, runs, nextRun } = manualTool("hand");
    const { start } = await bench([tool], { clock });
    const begun = nextRun();
    const run = start("hand");
    await begun;
    for (const piece of ["a", "b", "c"]) runs[0]?.ports.output(piece);
    expect(run.seen).toEqual([]);
    clock.advance(30);
    expect(run.seen).toMatchObject([{ type: "tool.output", text: "abc" }]);
    runs[0]?.ports.output("d");
    runs[0]?.resolve("done");
    await run.terminal;
    runs[0]?.ports.output("late");
    clock.advance(100);
    expect(run.seen.slice(1)).toMatchObject([{ type: "tool.output", text: "d" }, { type: "tool.finished" }]);
  });

  test("has no half of a character: while the call runs, in its result, and in its error", async () => {
    const { tool, runs, nextRun } = manualTool("hand");
    const { start } = await bench([tool]);
    const results = [
      () => runs[0]?.resolve({ content: [{ type: "text", text: "\ud83d" }], command: { output: "\ude00" } }),
      () => runs[1]?.reject(new ToolError("ARGUMENTS_INVALID", "no \ud83d")),
    ];
    const ends = [];
    for (const [index, end] of results.entries()) {
      const begun = nextRun();
      const run = start("hand");
      await begun;
      runs[index]?.ports.output("\ud83d");
      end();
      ends.push(await run.terminal);
      expect(run.seen).toContainEqual(expect.objectContaining({ type: "tool.output", text: "\ufffd" }));
    }
    expect(ends).toMatchObject([
      { content: [{ text: "\ufffd" }], command: { output: "\ufffd" } },
      { error: expect.stringContaining("no \ufffd") },
    ]);
  });

  test("L14: is bounded while the call runs and in its result, with a mark", async () => {
    const { tool, runs, nextRun } = manualTool("hand");
    const { start } = await bench([tool], {}, { maxResultBytes: 100 });
    const begun = nextRun();
    const run = start("hand");
    await begun;
    for (let piece = 0; piece < 1000; piece += 1) runs[0]?.ports.output("0123456789");
    runs[0]?.resolve({
      content: [{ type: "text", text: "x".repeat(5000) }],
      command: { output: "y".repeat(5000) },
    });
    const end = await run.terminal;
    expect(run.seen.flatMap((event) => (event.type === "tool.output" ? [event.text] : [])).join("")).toBe(
      `${"0123456789".repeat(10)}\n[... further output is not shown while the call runs ...]\n`,
    );
    expect(end).toMatchObject({
      content: [{ text: `${"x".repeat(50)}\n[... 4900 bytes cut ...]\n${"x".repeat(50)}` }],
      command: { output: expect.stringContaining("4900 bytes cut") },
    });
  });
});

describe("a status", () => {
  test("is sent once per frame, the newest; a pending one before the terminal event, and none after it", async () => {
    const clock = stillClock();
    const { tool, runs, nextRun } = manualTool("hand");
    const { start } = await bench([tool], { clock });
    const begun = nextRun();
    const run = start("hand");
    await begun;
    const { progress } = runs[0]?.ports ?? expect.unreachable();
    for (const text of ["1", "2", "3"]) progress({ text });
    clock.advance(250);
    progress({ icon: "sync", text: "4" });
    runs[0]?.resolve("done");
    await run.terminal;
    progress({ text: "late" });
    expect(clock.pending).toBe(0);
    clock.advance(1_000);
    expect(run.seen).toMatchObject([
      { type: "tool.progress", callId: "call1", status: { text: "3" } },
      { type: "tool.progress", callId: "call1", status: { icon: "sync", text: "4" } },
      { type: "tool.finished" },
    ]);
  });

  test("L10: of a stopped call is dropped, and leaves no timer", async () => {
    const clock = stillClock();
    const { tool, runs, nextRun } = manualTool("hand");
    const { start } = await bench([tool], { clock });
    const begun = nextRun();
    const run = start("hand");
    await begun;
    runs[0]?.ports.progress({ text: "half" });
    run.stop();
    runs[0]?.ports.progress({ text: "late" });
    expect(clock.pending).toBe(0);
    expect(run.seen).toEqual([]);
  });

  test("has the limits that the actor is given (L14)", async () => {
    const clock = stillClock();
    const { tool, runs, nextRun } = manualTool("hand");
    const limits = { progressFrameMs: 10, progressIconMaxChars: 1, progressTextMaxChars: 2 };
    const { start } = await bench([tool], { clock }, limits);
    const begun = nextRun();
    const run = start("hand");
    await begun;
    for (const status of [{ text: "12" }, { text: "123" }, { icon: "12" }]) runs[0]?.ports.progress(status);
    clock.advance(10);
    expect(run.seen).toMatchObject([{ status: { text: "12" } }]);
  });
});

describe("stopping a tool call", () => {
  test("tool.abort terminates it, and its terminal event is still sent", async () => {
    const { start } = await bench(builtinTools());
    const run = start("execute_command", { command: "echo up; exec sleep 1000" });
    await run.firstOutput;
    run.send({ type: "tool.abort" });
    const end = await run.terminal;
    expect(JSON.stringify(end)).toContain("Process terminated by signal SIGTERM");
  });

  test("a tool that throws when it is aborted was terminated", async () => {
    const { tool, runs, nextRun } = manualTool("hand");
    const { start } = await bench([tool]);
    const begun = nextRun();
    const run = start("hand");
    await begun;
    run.send({ type: "tool.abort" });
    expect(runs[0]?.ports.signal.aborted).toBe(true);
    runs[0]?.reject(new Error("aborted"));
    expect(textOf(await run.terminal)).toBe(
      "The call was terminated before its end; what it had done by then stays. Error: aborted",
    );
  });

  test("L10: after a stop only the call tracker gets the result", async () => {
    const { tool, runs, nextRun } = manualTool("hand");
    const { start, calls, recorded } = await bench([tool]);
    const begun = nextRun();
    const run = start("hand");
    await begun;
    run.stop();
    expect(runs[0]?.ports.signal.aborted).toBe(true);
    const asked = calls.resultsOf(["call1"]);
    runs[0]?.resolve("the real result");
    expect(await asked).toEqual([{ callId: "call1", content: [{ type: "text", text: "the real result" }] }]);
    expect(run.seen).toEqual([]);
    expect(recorded).toEqual([
      { callId: "call1", content: [{ type: "text", text: "the real result" }], failed: false, stopped: true },
    ]);
  });

  test("L10: the result of a finished call is kept after a stop", async () => {
    const { tool, runs, nextRun } = manualTool("hand");
    const { start, calls } = await bench([tool]);
    const begun = nextRun();
    const run = start("hand");
    await begun;
    runs[0]?.resolve("done");
    await run.terminal;
    run.stop();
    expect(await calls.resultsOf(["call1"])).toMatchObject([{ content: [{ text: "done" }] }]);
  });

  test("L12: a call that does not end in time is uncertain, and so is an unknown call", async () => {
    const clock = stillClock();
    const { tool, nextRun } = manualTool("hand");
    const { start, calls } = await bench([tool], { clock });
    const begun = nextRun();
    const run = start("hand");
    await begun;
    run.stop();
    const asked = calls.resultsOf(["call1", "unknown"], 1000);
    clock.advance(1000);
    expect(await asked).toEqual([
      { callId: "call1", content: "uncertain" },
      { callId: "unknown", content: "uncertain" },
    ]);
  });

  test("L11: a call that is stopped before its release never starts, as its result says", async () => {
    const { tool, runs } = manualTool("hand");
    const held: (() => void)[] = [];
    const { start, calls } = await bench([tool], { release: (begin) => held.push(begin) });
    const run = start("hand");
    run.stop();
    for (const begin of held) begin();
    expect(runs).toEqual([]);
    expect(await calls.resultsOf(["call1"])).toMatchObject([
      { content: [{ text: "The call was stopped before it began: nothing was done." }] },
    ]);
  });
});

describe("L10, L12: the next effect", () => {
  test("waits until stopped calls have ended; a read does not", async () => {
    const first = manualTool("first");
    const second = manualTool("second");
    const read = manualTool("read", "reads");
    const { start } = await bench([first.tool, second.tool, read.tool]);
    const begun = first.nextRun();
    const stopped = start("first");
    await begun;
    stopped.stop();
    const secondBegun = second.nextRun();
    start("second");
    const readBegun = read.nextRun();
    start("read");
    await readBegun;
    expect(second.runs).toEqual([]);
    first.runs[0]?.resolve("late");
    await secondBegun;
    expect(second.runs).toHaveLength(1);
  });

  test("waits no longer than quiesceDeadlineMs", async () => {
    const clock = stillClock();
    const first = manualTool("first");
    const second = manualTool("second");
    const { start } = await bench([first.tool, second.tool], { clock });
    const begun = first.nextRun();
    const stopped = start("first");
    await begun;
    stopped.stop();
    const secondBegun = second.nextRun();
    start("second");
    clock.advance(4_999);
    expect(second.runs).toEqual([]);
    clock.advance(1);
    await secondBegun;
  });

  test("never starts if it is stopped while it waits", async () => {
    const first = manualTool("first");
    const second = manualTool("second");
    const { start, calls } = await bench([first.tool, second.tool]);
    const begun = first.nextRun();
    const stopped = start("first");
    await begun;
    stopped.stop();
    start("second").stop();
    expect(await calls.resultsOf(["call2"])).toMatchObject([
      { content: [{ text: "The call was stopped before it began: nothing was done." }] },
    ]);
    first.runs[0]?.resolve("late");
    await calls.quiesce();
    expect(second.runs).toEqual([]);
  });
});

test("L14: the call tracker keeps a bounded number of results", async () => {
  const calls = new CallTracker({ clock: stillClock(), maxResults: 2 });
  for (const callId of ["a", "b", "c"]) {
    calls.callStarted(callId);
    calls.callEnded({ callId, content: [], failed: false });
  }
  expect(await calls.resultsOf(["a", "b", "c"])).toEqual([
    { callId: "a", content: "uncertain" },
    { callId: "b", content: [] },
    { callId: "c", content: [] },
  ]);
});
