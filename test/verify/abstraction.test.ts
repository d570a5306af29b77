import { describe, expect, it } from "vitest";
import type { Log } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { Block, OpenAsk, ProseBlock, TaskContext, Turn } from "../../machines/task/task.context.ts";
import type { ToolCall } from "../../machines/tool-call/call.ts";
import { abstractionOf, differsIn } from "../../verify/abstraction.ts";
import { NOTHING_SPENT, type Spent } from "../../verify/bounds.ts";
import { DEFAULT_BOUNDS } from "../../verify/exploration.ts";
import type { View } from "../../verify/index.ts";
import { firstView } from "../../verify/view.ts";
import { callOf, delegated, inEachPhase, running, settled, stopped, turnOf } from "./laws/calls.ts";
import { ask, logOf, say } from "./laws/commit-parts.ts";
import { fresh } from "./laws/step.ts";

type Parts = Partial<TaskContext>;

const viewOf = (parts: Parts, more: Partial<View> = {}): View => ({
  ...firstView({ state: "running.calling", context: { ...fresh, ...parts } }),
  ...more,
});
const keyOf = (view: View, spent: Partial<Spent> = {}, bounds = {}): string =>
  abstractionOf(view, { ...NOTHING_SPENT, ...spent }, { ...DEFAULT_BOUNDS, ...bounds });
/** The parts in which the abstractions of two contexts differ. */
const between = (one: Parts, other: Parts): readonly string[] =>
  differsIn(keyOf(viewOf(one)), keyOf(viewOf(other)));

const logged = (...messages: readonly ClineMessage[]): { log: Log } => ({ log: logOf(...messages) });
const open = (id: number, kind: OpenAsk["ask"] = "tool"): Parts => ({ ask: { id, ask: kind } });
const turned = (turn: Partial<Turn>): Parts => ({ turn: { ...fresh.turn, ...turn } });
const block = (more: Partial<ProseBlock> = {}): Block => ({
  kind: "text",
  buffered: "",
  done: false,
  ...more,
});
const counted = (
  counters: Partial<TaskContext["counters"]>,
  limits: Partial<TaskContext["limits"]> = {},
): Parts => ({
  counters: { ...fresh.counters, ...counters },
  limits: { ...fresh.limits, ...limits },
});
const called = (...calls: readonly ToolCall[]): Parts => ({ turn: turnOf(...calls) });
/** A turn of one call, with the cursor before or after it. */
const placed = (call: ToolCall, cursor: number): Parts => ({
  turn: { ...turnOf(call), blocks: [{ kind: "call", callId: call.callId }, block()], cursor },
});
const item = { id: "q", text: "more", images: [] };
const entry = { role: "assistant", content: [{ type: "text", text: "a" }] } as const;

describe("the exploration distinguishes states by", () => {
  it.each<[string, Parts, Parts]>([
    ["last message", {}, logged(say(1, "text"))],
    ["last message", logged(say(1, "text")), logged(say(1, "error"))],
    ["last message", logged(say(1, "text", { partial: true })), logged(say(1, "text"))],
    ["last message", logged(ask(1, "tool", { closing: "answered" })), logged(ask(1, "tool"))],
    [
      "last message",
      logged(ask(1, "tool", { closing: "answered" })),
      logged(ask(1, "tool", { closing: "expired" })),
    ],
    ["ask", { ...logged(ask(1, "tool")), ...open(1) }, logged(ask(1, "tool"))],
    ["ask", { ...logged(ask(1, "tool")), ...open(1) }, { ...logged(ask(1, "tool")), ...open(0) }],
    ["ask", { ...logged(ask(1, "tool")), ...open(1) }, { ...logged(ask(1, "tool")), ...open(1, "command") }],
    ["request", { request: 1 }, {}],
    ["cursor", turned({ cursor: 1 }), turned({ cursor: 0 })],
    ["stop reason", turned({ stopReason: "end_turn" }), turned({})],
    ["stop reason", turned({ stopReason: "end_turn" }), turned({ stopReason: "tool_use" })],
    ["checkpoint", turned({ checkpoint: "saving" }), turned({})],
    ["checkpoint", turned({ checkpoint: "saving" }), turned({ checkpoint: "done" })],
    ["blocks", turned({ blocks: [block()] }), turned({})],
    ["blocks", turned({ blocks: [block({ kind: "thinking" })] }), turned({ blocks: [block()] })],
    ["blocks", turned({ blocks: [block({ done: true })] }), turned({ blocks: [block()] })],
    ["blocks", turned({ blocks: [block({ ts: 1 })] }), turned({ blocks: [block()] })],
    ["blocks", turned({ blocks: [block({ buffered: "a" })] }), turned({ blocks: [block()] })],
    [
      "blocks",
      turned({ blocks: [block({ buffered: "ab" })] }),
      turned({ blocks: [block({ buffered: "a" })] }),
    ],
    ["queue", { queue: [item] }, {}],
    ["pending text", { pending: [{ type: "text", text: "a" }] }, {}],
    ["background", { background: [{ callId: "c", command: "make" }] }, {}],
    ["counters", counted({ mistakes: 1 }), {}],
    ["counters", counted({ retries: 1 }), {}],
    ["counters", counted({ noToolUses: 1 }), {}],
    ["counters", counted({ pauses: 1 }), {}],
    ["counters", counted({ requests: 1 }, { requests: 9 }), counted({}, { requests: 9 })],
    ["prepared", { prepared: { environment: "", ends: [], attached: [] } }, {}],
    ["retry", { retryAt: 5 }, {}],
    ["rate limit", { requestedAt: 5, ...counted({}, { rateLimitMs: 100 }) }, {}],
    ["last entry", { conversation: fresh.conversation.append(entry) }, {}],
  ])("%s: case %#", (part, one, other) => {
    expect(between(one, other)).toEqual([part]);
  });

  it("the active actors, the recorded calls, and the state", () => {
    const key = keyOf(viewOf({}));
    expect(differsIn(key, keyOf(viewOf({}, { activeActors: new Set(["llm:1"]) })))).toEqual(["actors"]);
    expect(differsIn(key, keyOf(viewOf({}, { state: "idle.completed" })))).toEqual(["state"]);
    const { recorded } = viewOf({});
    const remembered = (call: ToolCall & { phase: "asking" | "stopped" }) =>
      keyOf(viewOf({}, { recorded: { ...recorded, calls: [call] } }));
    expect(differsIn(key, remembered(stopped("c")))).toEqual(["recorded calls"]);
    expect(differsIn(remembered(callOf("c", "asking")), remembered(stopped("c")))).toEqual([
      "recorded calls",
    ]);
  });

  it.each([
    ["interruptions spent", { interruptions: 1 }, { interruptions: "any" }],
    ["queue spent", { queued: 1 }, { queued: "any" }],
    ["requests spent", { requests: 1 }, { turns: "any" }],
    ["crashes spent", { crashes: 1 }, { crashes: "any" }],
  ] as const)("%s, unless it is unbounded", (part, spent, any) => {
    const view = viewOf({});
    expect(differsIn(keyOf(view), keyOf(view, spent))).toEqual([part]);
    expect(differsIn(keyOf(view, {}, any), keyOf(view, spent, any))).toEqual([]);
  });
});

describe("the exploration distinguishes calls by", () => {
  const phases = inEachPhase("c");

  it("their phase", () => {
    const keys = phases.map((call) => keyOf(viewOf(called(call))));
    expect(new Set(keys).size).toBe(phases.length);
  });

  it.each(phases)("their message and kind, until they are over: $phase", (call) => {
    const isOver = ["stopped", "delegated", "ended", "settled"].includes(call.phase);
    const expected = isOver ? [] : ["calls"];
    expect(between(called(call), called({ ...call, ask: "command" }))).toEqual(expected);
    // In other phases a call always has its message, or it no longer matters.
    const mayLackMessage = ["planned", "deciding", "decided", "settled"].includes(call.phase);
    const withMessage = mayLackMessage ? ["calls"] : [];
    expect(between(called(call), called({ ...call, row: 1 }))).toEqual(withMessage);
  });

  const { review } = running("c");
  it.each<[string, ToolCall, ToolCall]>([
    ["a preview", callOf("c", "planned"), { ...callOf("c", "planned"), preview: "{" }],
    ["a preview during a review", callOf("c", "deciding"), { ...callOf("c", "deciding"), preview: "{" }],
    ["an effect", running("c"), running("c", "reads")],
    [
      "a verdict",
      running("c"),
      { ...running("c"), review: { ...review, verdict: { kind: "allow", rule: "r" } } },
    ],
    ["whether it may run again", stopped("c"), { ...stopped("c"), replayable: true }],
    ["the end of a subtask", delegated("c"), { ...delegated("c"), end: { kind: "cancelled" } }],
    ["a mistake", settled("c"), settled("c", "failed")],
    ["another mistake", settled("c"), settled("c", "invalid")],
  ])("%s", (_, one, other) => {
    expect(between(called(one), called(other))).toEqual(["calls"]);
  });

  it("the message or notice of a settled call, until the cursor has passed it", () => {
    const call = settled("c");
    for (const other of [
      { ...call, row: 1 },
      { ...call, notice: { say: "error" as const, text: "refused" } },
    ]) {
      expect(between(placed(call, 0), placed(other, 0))).toEqual(["calls"]);
      expect(between(placed(call, 1), placed(other, 1))).toEqual([]);
      const foreign = (one: ToolCall): Parts => ({
        turn: { ...turnOf(one), blocks: [block(), { kind: "call", callId: "other" }], cursor: 2 },
      });
      expect(between(foreign(call), foreign(other))).toEqual(["calls"]);
    }
  });
});

describe("the abstraction of a state leaves out", () => {
  it.each<[string, Parts, Parts]>([
    ["ids and times", { ...logged(ask(1, "tool")), ...open(1) }, { ...logged(ask(2, "tool")), ...open(2) }],
    ["the content of a text", logged(say(1, "text", { text: "a" })), logged(say(1, "text", { text: "b" }))],
    ["messages before the last", logged(say(1, "error"), say(2, "text")), logged(say(2, "text"))],
    [
      "the length of a text from two characters on",
      turned({ blocks: [block({ buffered: "ab" })] }),
      turned({ blocks: [block({ buffered: "abc" })] }),
    ],
    [
      "the kind of an outcome that is no mistake",
      called(settled("c", "done")),
      called(settled("c", "denied")),
    ],
    [
      "mistakes beyond their limit",
      counted({ mistakes: 2 }, { mistakes: 2 }),
      counted({ mistakes: 3 }, { mistakes: 2 }),
    ],
    [
      "responses without a tool call beyond the first",
      counted({ noToolUses: 1 }),
      counted({ noToolUses: 2 }),
    ],
    [
      "requests far below their limit",
      counted({ requests: 1 }, { requests: 10 }),
      counted({}, { requests: 10 }),
    ],
    [
      "pauses and responses without a tool call, of a response with a call",
      { ...called(stopped("c")), ...counted({ pauses: 1, noToolUses: 1 }) },
      called(stopped("c")),
    ],
    [
      "a wait for the rate limit that is over",
      { requestedAt: 5, ...counted({}, { rateLimitMs: 100 }), ...logged(say(104, "text")) },
      { ...counted({}, { rateLimitMs: 100 }), ...logged(say(104, "text")) },
    ],
    [
      "repeated calls, without the bound `repeats`",
      counted({ repeated: { digest: "d", times: 1 } }),
      { failedDiffs: [{ file: "a", times: 1 }] },
    ],
    ["the time of a retry", { retryAt: 5 }, { retryAt: 6 }],
  ])("%s", (_, one, other) => {
    expect(between(one, other)).toEqual([]);
  });

  it("repeated calls and failed diffs, with the bound `repeats`", () => {
    const of = (parts: Parts) => keyOf(viewOf(parts), {}, { repeats: true });
    const [none, once] = [of(counted({})), of(counted({ repeated: { digest: "d", times: 1 } }))];
    expect(differsIn(none, once)).toEqual(["repetitions"]);
    const cycled = of(counted({ cycles: [{ digest: "d", times: 2 }] }));
    expect(differsIn(none, cycled)).toEqual(["repetitions"]);
    expect(differsIn(none, of({ failedDiffs: [{ file: "a", times: 1 }] }))).toEqual(["repetitions"]);
  });

  it("which actor of a kind is active", () => {
    const of = (id: string) => keyOf(viewOf({}, { activeActors: new Set([id]) }));
    expect(differsIn(of("tool:a"), of("tool:b"))).toEqual([]);
    expect(differsIn(of("tool:a"), of("llm:a"))).toEqual(["actors"]);
  });
});
