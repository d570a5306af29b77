import { describe, expect, it } from "vitest";
import {
  applyEffectResult,
  applyEmitted,
  emptyRecordedState,
  type TaskEmitted,
} from "../../../machines/task/index.ts";
import type { RecordedCall } from "../../../machines/tool-call/index.ts";

const row = (ts: number, text: string) => ({ ts, type: "say", say: "text", text }) as const;
const identity = { toolUseId: "tu", name: "write_to_file", ask: "tool" } as const;
const running = (callId: string): RecordedCall => ({
  ...identity,
  callId,
  phase: "running",
  replayable: false,
});
const rememberedOf = (...pieces: readonly TaskEmitted[]) => pieces.reduce(applyEmitted, emptyRecordedState);
const textsOf = (...pieces: readonly TaskEmitted[]) =>
  rememberedOf(...pieces)
    .log.toArray()
    .map(({ text }) => text);

const first: TaskEmitted = { type: "message.appended", message: row(1, "a") };
const second: TaskEmitted = { type: "message.appended", message: row(2, "b") };

describe("what is remembered of a task is the fold of what its commits say (L11)", () => {
  it("its rows: appended, grown, amended, cut off and replaced", () => {
    expect(textsOf(first, second)).toEqual(["a", "b"]);
    expect(textsOf(first, { type: "message.grown", ts: 1, text: "!" })).toEqual(["a!"]);
    expect(textsOf(first, { type: "message.amended", ts: 1, patch: { text: "c" } })).toEqual(["c"]);
    expect(textsOf(first, second, { type: "log.truncated", length: 1 })).toEqual(["a"]);
    expect(textsOf(first, { type: "log.replaced", messages: [row(7, "z")] })).toEqual(["z"]);
  });

  it("its conversation: entries, and more of the last one", () => {
    const words = (text: string) => ({ type: "text", text }) as const;
    const { conversation } = rememberedOf(
      { type: "entry.appended", entry: { role: "user", content: [words("go")] } },
      { type: "entry.extended", content: [words("on")] },
    );
    expect(conversation.toArray()).toEqual([{ role: "user", content: [words("go"), words("on")] }]);
  });

  it("its queue, as it is now", () => {
    const item = { id: "q", text: "also", images: [] };
    expect(rememberedOf({ type: "queue.changed", queue: [item] }).queue).toEqual([item]);
    expect(
      rememberedOf({ type: "queue.changed", queue: [item] }, { type: "queue.changed", queue: [] }).queue,
    ).toEqual([]);
  });

  it("its facts, the newest of each", () => {
    const { facts } = rememberedOf(
      { type: "facts.changed", facts: { mode: "ask", children: 1 } },
      { type: "facts.changed", facts: { mode: "code" } },
    );
    expect(facts).toEqual({ mode: "code", children: 1 });
  });

  it("its calls, each as it is now and in their order, until the turn has ended", () => {
    const settled: RecordedCall = {
      ...identity,
      callId: "a",
      phase: "settled",
      outcome: { kind: "done", content: [] },
    };
    const pieces: readonly TaskEmitted[] = [
      { type: "call.changed", call: running("a") },
      { type: "call.changed", call: running("b") },
      { type: "call.changed", call: settled },
    ];
    expect(rememberedOf(...pieces).calls).toEqual([settled, running("b")]);
    expect(rememberedOf(...pieces, { type: "turn.ended" }).calls).toEqual([]);
  });

  it.each<TaskEmitted>([
    { type: "event.noted" },
    { type: "effect.started", effect: "llm", id: "llm" },
    { type: "task.rested", taskId: "t", ask: "tool" },
  ])("nothing of what only tells: $type", (piece) => {
    const memory = rememberedOf(first);
    expect(applyEmitted(memory, piece)).toBe(memory);
  });
});

describe("the recorded end of an effect (L12)", () => {
  const content = [{ type: "text", text: "saved" }] as const;
  const stopped: RecordedCall = { ...identity, callId: "b", phase: "stopped", replayable: false };
  const memory = rememberedOf(
    { type: "call.changed", call: running("a") },
    { type: "call.changed", call: stopped },
    { type: "call.changed", call: { ...identity, callId: "c", phase: "asking" } },
  );

  it("belongs to the call that runs or was stopped, and to no other", () => {
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

  it.each(["c", "nobody"])("is history where nobody waits for it: %s", (callId) => {
    expect(applyEffectResult(memory, { callId, content })).toBe(memory);
  });
});
