import { describe, expect, it } from "vitest";
import { textBlock } from "../../../machines/conversation/blocks.ts";
import type { ImageBlock } from "../../../machines/conversation/entry.ts";
import { backgroundLost, uncertain } from "../../../machines/conversation/notices.ts";
import type { TaskContext } from "../../../machines/task/task.context.ts";
import type { EffectResult, TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import type { ToolCall } from "../../../machines/tool-call/call.ts";
import { noRepeat } from "../../../verify/laws/no-repeat.ts";
import { decisionOf, delegated, NAME, planned, settled, stopped, turnOf } from "./calls.ts";
import { appended, image, pastOf, say } from "./commit-parts.ts";
import { type StepParts, stepOf } from "./step.ts";

const wrongWith = (parts: StepParts): string | undefined => noRepeat.violation(stepOf(parts));

const starts = (effect: "tool" | "llm" | "subtask", id: string): TaskEmitted => ({
  type: "effect.started",
  effect,
  id,
});
const stops = (id: string): TaskEmitted => ({ type: "effect.stopped", effect: "tool", id });
/** An error message, about a call or none. */
const errorOf = (text: string, callId?: string): TaskEmitted =>
  appended(say(1, "error", { text, ...(callId !== undefined && { callId }) }));

describe("a started actor is not started again (L12)", () => {
  it.each<[string, StepParts]>([
    ["two tools in one macrostep", { emitted: [starts("tool", "c1"), starts("tool", "c2")] }],
    ["a tool after another", { earlier: [starts("tool", "c1")], emitted: [starts("tool", "c2")] }],
    ["another actor a second time", { earlier: [starts("llm", "a")], emitted: [starts("llm", "a")] }],
    ["another actor twice in one macrostep", { emitted: [starts("llm", "a"), starts("llm", "a")] }],
  ])("allows %s", (_, parts) => {
    expect(wrongWith(parts)).toBeUndefined();
  });

  it.each<[string, StepParts]>([
    ["that ran before", { earlier: [starts("tool", "c1"), stops("c1")], emitted: [starts("tool", "c1")] }],
    ["that this macrostep ran", { emitted: [starts("tool", "c1"), stops("c1"), starts("tool", "c1")] }],
  ])("forbids to start a tool %s", (_, parts) => {
    expect(wrongWith(parts)).toBe("c1 was started a second time");
  });

  const continued = (callId: string, childId: string): string | undefined =>
    wrongWith({
      before: { turn: turnOf(delegated("c1", "t1.1")) },
      earlier: [starts("subtask", "subtask:c1")],
      emitted: [starts("subtask", `subtask:${callId}`)],
      after: { turn: turnOf(delegated(callId, childId)) },
    });

  it("allows a call's subtask to continue, and another call to have another one", () => {
    expect(continued("c1", "t1.1")).toBeUndefined();
    expect(continued("c2", "t1.2")).toBeUndefined();
  });

  it("forbids a call to have two subtasks", () => {
    expect(continued("c1", "t1.2")).toBe("c1 was the subtask t1.1 and is now t1.2");
  });
});

describe("a call is decided once (L12)", () => {
  const decides = (callId: string): TaskEmitted => ({
    type: "decision.made",
    decision: decisionOf(callId),
  });

  it.each<[string, TaskEmitted[], string | undefined]>([
    ["allows to decide another call", [starts("tool", "c2"), decides("c2")], undefined],
    [
      "forbids to decide another call twice in one macrostep",
      [decides("c2"), decides("c3"), decides("c2")],
      "c2 was decided twice",
    ],
    [
      "forbids to decide it again",
      [starts("tool", "c2"), decides("c2"), decides("c1")],
      "c1 was decided twice",
    ],
  ])("%s", (_, emitted, expected) => {
    expect(wrongWith({ earlier: [decides("c1")], emitted })).toBe(expected);
  });
});

describe("a background command that ended with the process is reported as lost (L12)", () => {
  const lost = backgroundLost("npm start");
  const background = [{ callId: "c1", command: "npm start" }];
  const message = errorOf(lost);
  const after: Partial<TaskContext> = { background: [], pending: [textBlock("hello"), textBlock(lost)] };
  const past = pastOf();

  it.each<[string, StepParts]>([
    ["a report to both", { past, emitted: [message], after }],
    ["no report without a crash", {}],
    ["no report without a background command", { past, before: { background: [] } }],
  ])("allows %s", (_, parts) => {
    expect(wrongWith({ before: { background }, ...parts })).toBeUndefined();
  });

  it.each<[string, StepParts, string]>([
    ["no message about it", { emitted: [], after }, 'no message reports that "npm start"'],
    [
      "a message about another command",
      { emitted: [errorOf(backgroundLost("make"))], after },
      'no message reports that "npm start"',
    ],
    [
      "a message about a call",
      { emitted: [errorOf(lost, "c1")], after },
      'no message reports that "npm start"',
    ],
    [
      "no report to the model",
      { emitted: [message], after: { ...after, pending: [textBlock("hello")] } },
      'no text for the next request reports that "npm start"',
    ],
    [
      "a command that continues",
      { emitted: [message], after: { ...after, background } },
      "is in the background",
    ],
  ])("forbids %s", (_, parts, expected) => {
    expect(wrongWith({ before: { background }, past, ...parts })).toContain(expected);
  });
});

const uncertainMessage = errorOf(uncertain(NAME), "c1");

interface Given {
  readonly call: ToolCall;
  readonly result: string;
  readonly images?: readonly ImageBlock[];
  readonly event?: TaskEvent;
  readonly prepared?: TaskContext["prepared"];
  readonly reported?: readonly TaskEmitted[];
  /** The call of the result. Default: c1. */
  readonly of?: string;
}

const ready = (...ends: readonly EffectResult[]): TaskEvent => ({
  type: "context.ready",
  at: 1,
  requestId: 1,
  environment: "",
  ends,
});

/** The violations of a request with a result of c1. */
const given = ({
  call,
  result,
  images = [],
  event,
  prepared,
  reported = [],
  of = "c1",
}: Given): (string | undefined)[] => {
  const content = [
    textBlock("hello"),
    { type: "tool_result" as const, tool_use_id: `use-${of}`, content: [textBlock(result), ...images] },
  ];
  const entries: readonly TaskEmitted[] = [
    { type: "entry.appended", entry: { role: "user", content } },
    { type: "entry.extended", content },
  ];
  return entries.map((entry) =>
    wrongWith({
      before: { turn: turnOf(planned("c0"), call), prepared },
      ...(event !== undefined && { event }),
      emitted: [{ type: "turn.ended" }, ...reported, entry],
    }),
  );
};

describe("the result sent to the model is the end of the call (L12)", () => {
  const end: EffectResult = { callId: "c1", content: [textBlock("wrote")] };
  const other: EffectResult = { callId: "c2", content: [textBlock("wrote")] };
  const prepared = { environment: "", ends: [end], attached: [] };
  const call = stopped("c1");
  const reported = [uncertainMessage];

  it.each<[string, Given]>([
    ["the outcome of a settled call", { call: settled("c1", "done", "wrote"), result: "wrote" }],
    ["without trailing whitespace", { call: settled("c1", "done", "wrote", "  "), result: "wrote" }],
    [
      "without inner whitespace",
      { call: settled("c1", "done", "wrote", " ", "4 bytes"), result: "wrote\n4 bytes" },
    ],
    ["with its image", { call: settled("c1", "done", image, "wrote"), result: "wrote", images: [image] }],
    ["for a call that neither ended nor was stopped", { call: planned("c1"), result: "wrote" }],
    ["for another call", { call: settled("c1", "done", "wrote"), result: "read", of: "c2" }],
    ["a recorded end received now", { call, result: "wrote", event: ready(other, end) }],
    ["a recorded end among other text", { call, result: "approved\nwrote", event: ready(end) }],
    ["a recorded end received before", { call, result: "wrote", prepared }],
    ["an uncertain end in this text", { call, result: uncertain(NAME), event: ready(), reported }],
    [
      "an uncertain end when only another end was received",
      { call, result: uncertain(NAME), event: ready(other), reported },
    ],
    ["an uncertain end before any end was received", { call, result: uncertain(NAME), reported }],
    [
      "an end recorded as unknown as uncertain",
      { call, result: uncertain(NAME), event: ready({ ...end, content: "uncertain" }), reported },
    ],
  ])("allows %s", (_, parts) => {
    expect(given(parts)).toEqual([undefined, undefined]);
  });

  it.each<[string, Given, string]>([
    [
      "another result of a settled call",
      { call: settled("c1", "done", "wrote"), result: "read" },
      "is not its outcome",
    ],
    [
      "a settled call without its image",
      { call: settled("c1", "done", image, "wrote"), result: "wrote" },
      "is not its outcome",
    ],
    [
      "a recorded end without its image",
      { call, result: "wrote", event: ready({ ...end, content: [textBlock("wrote"), image] }) },
      "the recorded end of c1 is not",
    ],
    [
      "another result than a recorded end",
      { call, result: "read", event: ready(end) },
      "the recorded end of c1 is not",
    ],
    [
      "another result than an end received before",
      { call, result: "read", prepared },
      "the recorded end of c1 is not",
    ],
    [
      "a recorded end as uncertain",
      { call, result: uncertain(NAME), event: ready(end), reported },
      "the recorded end of c1 is not",
    ],
    [
      "another call's end",
      { call, result: "wrote", event: ready(other), reported },
      "no tool result reports that c1",
    ],
    [
      "an end received before, when fewer are received now",
      { call, result: "wrote", event: ready(), prepared, reported },
      "no tool result reports that c1",
    ],
    [
      "an uncertain end in another text",
      { call, result: `${uncertain(NAME)} Good luck.`, event: ready(), reported },
      "no tool result reports that c1",
    ],
    [
      "an uncertain end to the model only",
      { call, result: uncertain(NAME), event: ready() },
      "no message reports",
    ],
    [
      "an uncertain end, and another call to the user",
      { call, result: uncertain(NAME), event: ready(), reported: [errorOf(uncertain(NAME), "c2")] },
      "no message reports that c1",
    ],
  ])("forbids %s", (_, parts, expected) => {
    for (const wrong of given(parts)) expect(wrong).toContain(expected);
  });

  it("checks every result", () => {
    const results = (...texts: readonly string[]): TaskEmitted => ({
      type: "entry.extended",
      content: texts.map((text, at) => ({
        type: "tool_result",
        tool_use_id: `use-c${at + 1}`,
        content: [textBlock(text)],
      })),
    });
    const before = { turn: turnOf(settled("c1", "done", "wrote"), settled("c2", "done", "read")) };
    expect(wrongWith({ before, emitted: [results("wrote", "read")] })).toBeUndefined();
    expect(wrongWith({ before, emitted: [results("wrote", "wrote")] })).toContain("the result of c2");
  });
});
