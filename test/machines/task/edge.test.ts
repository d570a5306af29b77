import { describe, expect, it } from "vitest";
import { createActor, type EventObject, fromCallback } from "xstate";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import { actorsOfKinds } from "../../../machines/task/task.setup.ts";

const USAGE = { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 0 };

/** A task whose actors record their starts, stops and received events. */
function watched(input = {}) {
  const calls: string[] = [];
  /** The newest input of each actor. */
  const started = new Map<string, unknown>();
  const recording = <Command extends EventObject, Input>(name: string) =>
    fromCallback<Command, Input>(({ receive, input: given }) => {
      calls.push(name);
      started.set(name, given);
      receive(({ type }) => calls.push(`${name} <- ${type}`));
      return () => calls.push(`${name} stopped`);
    });
  const actors = actorsOfKinds(recording);
  const emitted: TaskEmitted[] = [];
  const actor = createActor(taskMachine.provide({ actors }), { input: { taskId: "t", ...input } });
  actor.on("*", (event) => emitted.push(event));
  actor.start();
  let at = 10;
  const sends = (...events: readonly Record<string, unknown>[]) => {
    calls.length = 0;
    for (const event of events) {
      at += 10;
      const { request, ask } = actor.getSnapshot().context;
      actor.send({ requestId: request, askId: ask?.id, ...event, at } as unknown as TaskEvent);
    }
    return [...calls];
  };
  return { sends, emitted, started };
}

const begun = [
  { type: "task.start", text: "go", images: [] },
  { type: "task.opened" },
  { type: "context.ready", environment: "here", ends: [] },
];
const called = (ask: string, effect: string) => [
  { type: "llm.tool.start", index: 0, callId: "c", toolUseId: "a", name: "n", ask },
  { type: "llm.tool.end", callId: "c", input: {} },
  {
    type: "call.reviewed",
    callId: "c",
    review: {
      valid: true,
      digest: "d",
      revision: 0,
      effect,
      replayable: false,
      text: "x",
      verdict: { kind: "ask" },
    },
  },
  {
    type: "llm.finished",
    stopReason: "tool_use",
    content: [{ type: "tool_use", id: "a", name: "n", input: {} }],
    usage: USAGE,
  },
];
const answer = (kind: string) => ({ type: "ask.answered", answer: { kind, text: "" } });

describe("each actor is started under its own name, and stopped", () => {
  it("from the start of the task to the end of a tool", () => {
    const { sends } = watched();
    expect(sends(...begun)).toEqual(["opening", "opening stopped", "context", "context stopped", "llm"]);
    expect(sends(...called("tool", "writes"))).toEqual(["review", "review stopped", "llm stopped", "ask"]);
    expect(sends(answer("yes"))).toEqual(["ask stopped", "tool"]);
    expect(sends({ type: "tool.finished", callId: "c", content: [] })).toEqual(["tool stopped", "context"]);
  });

  it("a command that the user aborts gets tool.abort and keeps running", () => {
    const { sends } = watched();
    sends(...begun, ...called("command", "executes"));
    expect(sends(answer("yes"))).toEqual(["ask stopped", "ask", "tool"]);
    expect(sends(answer("no"))).toEqual(["ask stopped", "tool <- tool.abort"]);
  });

  it("a subtask, and the snapshot before it", () => {
    const { sends } = watched({ checkpoints: true });
    sends(...begun, ...called("tool", "delegates"));
    expect(sends(answer("yes"))).toEqual(["ask stopped", "checkpoint"]);
    expect(sends({ type: "checkpoint.saved", callId: "c", hash: "1" })).toEqual([
      "checkpoint stopped",
      "subtask",
    ]);
    expect(sends({ type: "task.cancel", origin: "user" })).toEqual(["subtask stopped", "ask"]);
  });

  it.each([
    [
      "with its grant",
      { budget: { from: "user", grant: { requests: 9, tasks: 1 } } },
      { grant: { requests: 4, tasks: 0 } },
    ],
    ["without one, without a budget", {}, {}],
  ])("a subtask %s", (_, input, given) => {
    const { sends, started } = watched(input);
    sends(...begun, ...called("tool", "delegates"), answer("yes"));
    const { callId, childId, name, input: args, permissions, ...grant } = Object(started.get("subtask"));
    expect({ callId, childId, name, args }).toEqual({ callId: "c", childId: "t.1", name: "n", args: {} });
    expect(grant).toStrictEqual(given);
    expect(permissions).toEqual({ revision: 0, mode: "ask", rules: [] });
  });

  it("a timer, during a retry delay or a review", () => {
    const { sends } = watched();
    sends(...begun);
    const failure = { code: "c", message: "m", retryable: true };
    expect(sends({ type: "llm.failed", failure, usage: USAGE, jitter: 0 })).toEqual(["llm stopped", "timer"]);
    expect(sends({ type: "task.cancel", origin: "user" })).toEqual(["timer stopped", "ask"]);
  });
});

describe("an event that changes no message and no record", () => {
  it("emits event.noted", () => {
    const { sends, emitted } = watched();
    sends(...begun, called("tool", "writes")[0] ?? {});
    emitted.length = 0;
    sends({ type: "llm.text.delta", index: 1, text: "held back" });
    expect(emitted).toEqual([{ type: "event.noted" }]);
  });

  it("does not emit event.noted with other events", () => {
    const { sends, emitted } = watched();
    sends(...begun);
    emitted.length = 0;
    sends({ type: "llm.text.delta", index: 0, text: "shown" });
    expect(emitted.map(({ type }) => type)).toEqual(["message.appended"]);
  });
});
