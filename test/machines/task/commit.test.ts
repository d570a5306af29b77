import { describe, expect, it } from "vitest";
import { applyEffectResult, applyEmitted, emptyRecordedState } from "../../../machines/task/commit.ts";
import type { TaskEmitted } from "../../../machines/task/task.events.ts";
import type { RecordedCall } from "../../../machines/tool-call/call.ts";

const message = (ts: number, text: string) => ({ ts, type: "say", say: "text", text }) as const;
const identity = { toolUseId: "tu", name: "write_to_file", ask: "tool" } as const;
const running = (callId: string): RecordedCall => ({
  ...identity,
  callId,
  phase: "running",
  replayable: false,
});
const recordedStateOf = (...events: readonly TaskEmitted[]) =>
  events.reduce(applyEmitted, emptyRecordedState);
const textsOf = (...events: readonly TaskEmitted[]) =>
  recordedStateOf(...events)
    .log.toArray()
    .map(({ text }) => text);

const first: TaskEmitted = { type: "message.appended", message: message(1, "a") };
const second: TaskEmitted = { type: "message.appended", message: message(2, "b") };

describe("the recorded state of a task is the fold of its commits (L11)", () => {
  it("has its messages: appended, grown, amended, truncated and replaced", () => {
    expect(textsOf(first, second)).toEqual(["a", "b"]);
    expect(textsOf(first, { type: "message.grown", ts: 1, text: "!" })).toEqual(["a!"]);
    expect(textsOf(first, { type: "message.amended", ts: 1, patch: { text: "c" } })).toEqual(["c"]);
    expect(textsOf(first, second, { type: "log.truncated", length: 1 })).toEqual(["a"]);
    expect(textsOf(first, { type: "log.replaced", messages: [message(7, "z")] })).toEqual(["z"]);
  });

  it("has its conversation: entries and extensions of the last one", () => {
    const words = (text: string) => ({ type: "text", text }) as const;
    const { conversation } = recordedStateOf(
      { type: "entry.appended", entry: { role: "user", content: [words("go")] } },
      { type: "entry.extended", content: [words("on")] },
    );
    expect(conversation.toArray()).toEqual([{ role: "user", content: [words("go"), words("on")] }]);
  });

  it("has the newest queue", () => {
    const item = { id: "q", text: "also", images: [] };
    expect(recordedStateOf({ type: "queue.changed", queue: [item] }).queue).toEqual([item]);
    expect(
      recordedStateOf({ type: "queue.changed", queue: [item] }, { type: "queue.changed", queue: [] }).queue,
    ).toEqual([]);
  });

  it("has the newest value of each fact", () => {
    const { facts } = recordedStateOf(
      { type: "facts.changed", facts: { mode: "ask", children: 1 } },
      { type: "facts.changed", facts: { mode: "code" } },
    );
    expect(facts).toEqual({ mode: "code", children: 1 });
  });

  it("has the newest state of each call, in order, until the turn ends", () => {
    const settled: RecordedCall = {
      ...identity,
      callId: "a",
      phase: "settled",
      outcome: { kind: "done", content: [] },
    };
    const events: readonly TaskEmitted[] = [
      { type: "call.changed", call: running("a") },
      { type: "call.changed", call: running("b") },
      { type: "call.changed", call: settled },
    ];
    expect(recordedStateOf(...events).calls).toEqual([settled, running("b")]);
    expect(recordedStateOf(...events, { type: "turn.ended" }).calls).toEqual([]);
  });

  it.each<TaskEmitted>([
    { type: "event.noted" },
    { type: "effect.started", effect: "llm", id: "llm" },
    { type: "task.rested", taskId: "t", ask: "tool" },
  ])("does not change by $type", (event) => {
    const memory = recordedStateOf(first);
    expect(applyEmitted(memory, event)).toBe(memory);
  });
});

describe("the recorded end of an effect (L12)", () => {
  const content = [{ type: "text", text: "saved" }] as const;
  const stopped: RecordedCall = { ...identity, callId: "b", phase: "stopped", replayable: false };
  const memory = recordedStateOf(
    { type: "call.changed", call: running("a") },
    { type: "call.changed", call: stopped },
    { type: "call.changed", call: { ...identity, callId: "c", phase: "asking" } },
  );

  it("belongs to its running or stopped call, and to no other", () => {
    expect(applyEffectResult(memory, { callId: "a", content }).calls[0]).toEqual({
      ...running("a"),
      end: content,
    });
    expect(applyEffectResult(memory, { callId: "b", content: "uncertain" }).calls[1]).toEqual({
      ...stopped,
      end: "uncertain",
    });
    expect(applyEffectResult(memory, { callId: "b", content }).calls[0]).toBe(memory.calls[0]);
  });

  it.each(["c", "nobody"])("is ignored if the call does not wait for it: %s", (callId) => {
    expect(applyEffectResult(memory, { callId, content })).toBe(memory);
  });
});
