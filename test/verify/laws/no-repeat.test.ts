import { describe, expect, it } from "vitest";
import {
  backgroundLost,
  type ImageBlock,
  textBlock,
  uncertain,
} from "../../../machines/conversation/index.ts";
import type { EffectResult, TaskContext, TaskEmitted, TaskEvent } from "../../../machines/task/index.ts";
import type { ToolCall } from "../../../machines/tool-call/index.ts";
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
/** The words that the user is told as an error, of a call or of none. */
const tells = (text: string, callId?: string): TaskEmitted =>
  appended(say(1, "error", { text, ...(callId !== undefined && { callId }) }));

describe("what was started is not started again (L12)", () => {
  it.each<[string, StepParts]>([
    ["one tool beside another", { emitted: [starts("tool", "c1"), starts("tool", "c2")] }],
    ["a tool after another", { earlier: [starts("tool", "c1")], emitted: [starts("tool", "c2")] }],
    ["what is no tool, a second time", { earlier: [starts("llm", "a")], emitted: [starts("llm", "a")] }],
    ["what is no tool, twice at once", { emitted: [starts("llm", "a"), starts("llm", "a")] }],
  ])("allows %s", (_, parts) => {
    expect(wrongWith(parts)).toBeUndefined();
  });

  it.each<[string, StepParts]>([
    ["that ran before", { earlier: [starts("tool", "c1"), stops("c1")], emitted: [starts("tool", "c1")] }],
    ["that this macrostep ran", { emitted: [starts("tool", "c1"), stops("c1"), starts("tool", "c1")] }],
  ])("forbids to start a tool %s", (_, parts) => {
    expect(wrongWith(parts)).toBe("c1 was started a second time");
  });

  const goesOn = (callId: string, childId: string): string | undefined =>
    wrongWith({
      before: { turn: turnOf(delegated("c1", "t1.1")) },
      earlier: [starts("subtask", "subtask:c1")],
      emitted: [starts("subtask", `subtask:${callId}`)],
      after: { turn: turnOf(delegated(callId, childId)) },
    });

  it("allows that a call's subtask goes on, and that another call has another", () => {
    expect(goesOn("c1", "t1.1")).toBeUndefined();
    expect(goesOn("c2", "t1.2")).toBeUndefined();
  });

  it("forbids that a call's subtask becomes another", () => {
    expect(goesOn("c1", "t1.2")).toBe("c1 was the subtask t1.1 and is now t1.2");
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
      "forbids to decide another twice at once",
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

describe("a command beside the agent that ended with the process is told as lost (L12)", () => {
  const lost = backgroundLost("npm start");
  const background = [{ callId: "c1", command: "npm start" }];
  const row = tells(lost);
  const after: Partial<TaskContext> = { background: [], pending: [textBlock("hello"), textBlock(lost)] };
  const past = pastOf();

  it.each<[string, StepParts]>([
    ["that both are told", { past, emitted: [row], after }],
    ["that it goes on while the process does", {}],
    ["that nothing is told where none was", { past, before: { background: [] } }],
  ])("allows %s", (_, parts) => {
    expect(wrongWith({ before: { background }, ...parts })).toBeUndefined();
  });

  it.each<[string, StepParts, string]>([
    ["that no message reports it", { emitted: [], after }, 'no message reports that "npm start"'],
    [
      "that the user is told of another",
      { emitted: [tells(backgroundLost("make"))], after },
      'no message reports that "npm start"',
    ],
    [
      "that the user is told of a call",
      { emitted: [tells(lost, "c1")], after },
      'no message reports that "npm start"',
    ],
    [
      "that the model is not told",
      { emitted: [row], after: { ...after, pending: [textBlock("hello")] } },
      'no text for the next request reports that "npm start"',
    ],
    ["that it goes on", { emitted: [row], after: { ...after, background } }, "is in the background"],
  ])("forbids %s", (_, parts, words) => {
    expect(wrongWith({ before: { background }, past, ...parts })).toContain(words);
  });
});

const uncertainRow = tells(uncertain(NAME), "c1");

interface Given {
  readonly call: ToolCall;
  readonly result: string;
  readonly images?: readonly ImageBlock[];
  readonly event?: TaskEvent;
  readonly prepared?: TaskContext["prepared"];
  readonly told?: readonly TaskEmitted[];
  /** Whose result is given; default is that of c1. */
  readonly of?: string;
}

const ready = (...ends: readonly EffectResult[]): TaskEvent => ({
  type: "context.ready",
  at: 1,
  requestId: 1,
  environment: "",
  ends,
});

/** The model is given a result of c1. */
const given = ({
  call,
  result,
  images = [],
  event,
  prepared,
  told = [],
  of = "c1",
}: Given): (string | undefined)[] => {
  const content = [
    textBlock("hello"),
    { type: "tool_result" as const, tool_use_id: `use-${of}`, content: [textBlock(result), ...images] },
  ];
  const pieces: readonly TaskEmitted[] = [
    { type: "entry.appended", entry: { role: "user", content } },
    { type: "entry.extended", content },
  ];
  return pieces.map((piece) =>
    wrongWith({
      before: { turn: turnOf(planned("c0"), call), prepared },
      ...(event !== undefined && { event }),
      emitted: [{ type: "turn.ended" }, ...told, piece],
    }),
  );
};

describe("the result that the model is given is how the call ended (L12)", () => {
  const end: EffectResult = { callId: "c1", content: [textBlock("wrote")] };
  const other: EffectResult = { callId: "c2", content: [textBlock("wrote")] };
  const prepared = { environment: "", ends: [end] };
  const call = stopped("c1");
  const told = [uncertainRow];

  it.each<[string, Given]>([
    ["what a settled call came to", { call: settled("c1", "done", "wrote"), result: "wrote" }],
    ["without its blank end", { call: settled("c1", "done", "wrote", "  "), result: "wrote" }],
    [
      "without the blank within",
      { call: settled("c1", "done", "wrote", " ", "4 bytes"), result: "wrote\n4 bytes" },
    ],
    ["with its image", { call: settled("c1", "done", image, "wrote"), result: "wrote", images: [image] }],
    ["for a call that neither ended nor was stopped", { call: planned("c1"), result: "wrote" }],
    ["for a call of no such name", { call: settled("c1", "done", "wrote"), result: "read", of: "c2" }],
    ["a recorded end that comes now", { call, result: "wrote", event: ready(other, end) }],
    ["a recorded end among other words", { call, result: "approved\nwrote", event: ready(end) }],
    ["a recorded end that came before", { call, result: "wrote", prepared }],
    ["what is uncertain in these words", { call, result: uncertain(NAME), event: ready(), told }],
    [
      "what is uncertain, where only another end came",
      { call, result: uncertain(NAME), event: ready(other), told },
    ],
    ["what is uncertain, where nothing came yet", { call, result: uncertain(NAME), told }],
    [
      "what is recorded as unknown as uncertain",
      { call, result: uncertain(NAME), event: ready({ ...end, content: "uncertain" }), told },
    ],
  ])("allows %s", (_, parts) => {
    expect(given(parts)).toEqual([undefined, undefined]);
  });

  it.each<[string, Given, string]>([
    [
      "of a settled call, another",
      { call: settled("c1", "done", "wrote"), result: "read" },
      "is not its outcome",
    ],
    [
      "of a settled call, without its image",
      { call: settled("c1", "done", image, "wrote"), result: "wrote" },
      "is not its outcome",
    ],
    [
      "of a recorded end, without its image",
      { call, result: "wrote", event: ready({ ...end, content: [textBlock("wrote"), image] }) },
      "the recorded end of c1 is not",
    ],
    [
      "of a recorded end, another",
      { call, result: "read", event: ready(end) },
      "the recorded end of c1 is not",
    ],
    [
      "of an end that came before, another",
      { call, result: "read", prepared },
      "the recorded end of c1 is not",
    ],
    [
      "of a recorded end, that it is uncertain",
      { call, result: uncertain(NAME), event: ready(end), told },
      "the recorded end of c1 is not",
    ],
    [
      "another call's end",
      { call, result: "wrote", event: ready(other), told },
      "no tool result reports that c1",
    ],
    [
      "what came before, where less comes now",
      { call, result: "wrote", event: ready(), prepared, told },
      "no tool result reports that c1",
    ],
    [
      "what is uncertain in other words",
      { call, result: `${uncertain(NAME)} Good luck.`, event: ready(), told },
      "no tool result reports that c1",
    ],
    [
      "what is uncertain to the model only",
      { call, result: uncertain(NAME), event: ready() },
      "no message reports",
    ],
    [
      "what is uncertain, and the user another call",
      { call, result: uncertain(NAME), event: ready(), told: [tells(uncertain(NAME), "c2")] },
      "no message reports that c1",
    ],
  ])("forbids %s", (_, parts, words) => {
    for (const wrong of given(parts)) expect(wrong).toContain(words);
  });

  it("looks at every result", () => {
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
