import { describe, expect, it } from "vitest";
import { textBlock } from "../../../machines/conversation/blocks.ts";
import { NO_USAGE } from "../../../machines/task/request.ts";
import type { TaskContext } from "../../../machines/task/task.context.ts";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import type { CallIn, ToolCall } from "../../../machines/tool-call/call.ts";
import type { Controlled, ControlPoint, ControlRecord } from "../../../machines/tool-call/control.ts";
import { control as law } from "../../../verify/laws/control.ts";
import { callOf, delegated, planned, running, settled, turnOf } from "./calls.ts";
import { started } from "./commit-parts.ts";
import { fresh, type StepParts, stepOf } from "./step.ts";

const DIGEST = "digest";
const found = (parts: StepParts): string | undefined => law.violation(stepOf(parts));

/** A task that a protocol controls at this point. */
const controlled = (...points: readonly ControlPoint[]): Partial<TaskContext> => ({
  controlled: points,
  control: { protocol: "p", state: 0 },
});

const recordOf = (point: ControlPoint, more: Partial<ControlRecord> = {}): ControlRecord => ({
  point,
  ...(point === "response" ? {} : { callId: "c1" }),
  author: "untrusted",
  digest: DIGEST,
  verdict: "pass",
  scores: {},
  ...more,
});

const controlOf = (record: ControlRecord, more: Partial<Controlled> = {}): Controlled => ({
  records: [record],
  state: 0,
  ...more,
});

const judged = ({ records }: Controlled): readonly TaskEmitted[] =>
  records.map((record) => ({ type: "control.judged", record }));

const hooked = (control?: Controlled, more: Partial<Extract<TaskEvent, { type: "call.hooked" }>> = {}) =>
  ({
    type: "call.hooked",
    at: 1,
    callId: "c1",
    digest: DIGEST,
    verdict: { kind: "allow" },
    texts: [],
    ...(control !== undefined && { control }),
    ...more,
  }) as const satisfies TaskEvent;

const passed = (digest = DIGEST): CallIn<"decided"> => ({ ...callOf("c1", "decided"), hooked: { digest } });
const hooking = { ...controlled("call"), turn: turnOf(callOf("c1", "hooking")) };

describe("CONTROL: no call passes without a verdict about its arguments", () => {
  const pass = (control?: Controlled): StepParts => ({
    before: hooking,
    event: hooked(control),
    after: { turn: turnOf(passed()) },
    emitted: control === undefined ? [] : judged(control),
  });
  const wrong = "c1 passed, and no protocol decided about its arguments";

  it("neither with none, nor with one about others, and passes with its own", () => {
    expect(found(pass())).toBe(wrong);
    expect(found(pass(controlOf(recordOf("call", { digest: "other" }))))).toBe(wrong);
    expect(found(pass(controlOf(recordOf("call", { callId: "c2" }))))).toBe(wrong);
    expect(found(pass(controlOf(recordOf("result"))))).toBe(wrong);
    expect(found(pass(controlOf(recordOf("call"))))).toBeUndefined();
  });

  it("in a task that no protocol controls, the hooks decide", () => {
    expect(found({ ...pass(), before: { turn: hooking.turn } })).toBeUndefined();
  });
});

describe("CONTROL: no call starts without a verdict about exactly its arguments", () => {
  const running1 = (digest?: string): ToolCall => ({
    ...running("c1"),
    ...(digest !== undefined && { hooked: { digest } }),
  });
  const start = (was: ToolCall, is: ToolCall, ...emitted: readonly TaskEmitted[]): StepParts => ({
    before: { ...controlled("call"), turn: turnOf(was) },
    after: { turn: turnOf(is) },
    emitted: [...emitted, started("tool:c1")],
  });
  const wrong = "tool:c1 started, and no protocol decided about its arguments";

  it("also if the task has no hooks", () => {
    expect(found(start(callOf("c1", "decided"), running1()))).toBe(wrong);
    expect(found(start(passed("other"), running1(DIGEST)))).toBe(wrong);
    expect(found(start(passed(), running1(DIGEST)))).toBeUndefined();
  });

  it("in the macrostep of the verdict its record counts", () => {
    const start1 = start(callOf("c1", "hooking"), running1(DIGEST));
    const control = controlOf(recordOf("call"));
    expect(found({ ...start1, event: hooked() })).toContain("no protocol decided");
    expect(
      found({ ...start1, event: hooked(control), emitted: [...judged(control), started("tool:c1")] }),
    ).toBeUndefined();
  });

  it("nor is a subtask delegated; one that was delegated before goes on", () => {
    const emitted = [started("subtask:c1")];
    const after = { turn: turnOf(delegated("c1")) };
    const delegate = (was: ToolCall): StepParts => ({
      before: { ...controlled("call"), turn: turnOf(was) },
      after,
      emitted,
    });
    expect(found(delegate(callOf("c1", "approved")))).toMatch(/^subtask:c1 started/);
    expect(found(delegate({ ...callOf("c1", "approved"), hooked: { digest: DIGEST } }))).toBeUndefined();
    expect(found(delegate(delegated("c1")))).toBeUndefined();
  });
});

describe("CONTROL: no result reaches the model before its verdict", () => {
  const ended = { ...controlled("result"), turn: turnOf(callOf("c1", "ended")) };
  const settle = (control?: Controlled, kind: "done" | "denied" = "done"): StepParts => ({
    before: ended,
    event: {
      type: "result.hooked",
      at: 1,
      callId: "c1",
      verdict: { kind: "allow" },
      texts: [],
      ...(control && { control }),
    },
    after: { turn: turnOf(settled("c1", kind)) },
    emitted: control === undefined ? [] : judged(control),
  });

  it("it is withheld without one", () => {
    expect(found(settle())).toBe("the result of c1 has no verdict, and the model gets it");
    expect(found(settle(controlOf(recordOf("call"))))).toBe(
      "the result of c1 has no verdict, and the model gets it",
    );
    expect(found(settle(undefined, "denied"))).toBeUndefined();
    expect(found(settle(controlOf(recordOf("result"))))).toBeUndefined();
  });

  it("it is not settled as soon as the call ends", () => {
    const end: StepParts = {
      before: { ...controlled("result"), turn: turnOf(running("c1")) },
      event: { type: "tool.finished", at: 1, callId: "c1", content: [] },
      after: { turn: turnOf(settled("c1")) },
    };
    expect(found(end)).toBe("the result of c1 is settled before its verdict");
    expect(found({ ...end, after: { turn: turnOf(callOf("c1", "ended")) } })).toBeUndefined();
    expect(found({ ...end, before: { turn: turnOf(running("c1")) } })).toBeUndefined();
  });
});

describe("CONTROL: a response follows only by its verdict", () => {
  const judgement = (
    control: Controlled,
    more: Partial<Extract<TaskEvent, { type: "response.judged" }>> = {},
  ): StepParts => ({
    before: controlled("response"),
    from: "streaming.receiving",
    event: {
      type: "response.judged",
      at: 1,
      requestId: 2,
      author: "untrusted",
      usage: NO_USAGE,
      control,
      ...more,
    },
    after: { turn: { ...fresh.turn, judged: "untrusted" } },
    emitted: judged(control),
  });
  const pass = controlOf(recordOf("response"));

  it("one that no protocol decided about, or that is withheld, does not follow", () => {
    expect(found(judgement(pass))).toBeUndefined();
    expect(found({ ...judgement(pass), emitted: [] })).toBe(
      "a response follows that no protocol decided about",
    );
    expect(found(judgement(pass, { withheld: "no" }))).toBe("a withheld response follows");
    expect(found(judgement({ ...pass, shutDown: "it ends." }))).toBe("a withheld response follows");
  });

  it("a verdict is used once", () => {
    const before = { ...controlled("response"), turn: { ...fresh.turn, judged: "untrusted" } as const };
    expect(found({ ...judgement(pass), before })).toBe("a response was judged twice");
    expect(found({ ...judgement(pass), before, emitted: [] })).toBeUndefined();
  });

  it("it is about no later response", () => {
    const emitted: readonly TaskEmitted[] = [{ type: "effect.started", effect: "llm", id: "llm" }];
    const sent: StepParts = { before: controlled("response"), emitted };
    expect(found(sent)).toBeUndefined();
    const after = { turn: { ...fresh.turn, judged: "untrusted" } as const };
    expect(found({ ...sent, after })).toBe("a request was sent, and its response counts as judged");
    expect(found({ emitted, after })).toBeUndefined();
  });

  it("nothing of it is shown before", () => {
    const shown: StepParts = {
      before: controlled("response"),
      event: { type: "llm.text.delta", at: 1, requestId: 2, index: 0, text: "a" },
      after: {
        turn: { ...fresh.turn, blocks: [{ kind: "text", done: false, buffered: "a" }] },
      },
    };
    expect(found(shown)).toBe("a response is shown before its verdict");
    const before = { ...controlled("response"), turn: { ...fresh.turn, judged: "untrusted" } as const };
    expect(found({ ...shown, before })).toBeUndefined();
    expect(found({ ...shown, before: {} })).toBeUndefined();
    const entry = { role: "assistant", content: [{ type: "text", text: "a" }] } as const;
    const emitted: readonly TaskEmitted[] = [{ type: "entry.appended", entry }];
    const finished: StepParts = {
      before: controlled("response"),
      event: {
        type: "llm.finished",
        at: 1,
        requestId: 2,
        content: entry.content,
        usage: NO_USAGE,
        stopReason: "end_turn",
      },
      emitted,
    };
    expect(found(finished)).toBe("a response is shown before its verdict");
    expect(found({ ...finished, before })).toBeUndefined();
  });

  it("the model and the user get the reason of a change", () => {
    const told = judgement(pass, { told: "a word" });
    const message = { ts: 3, type: "say", say: "hook", text: "changed: a word" } as const;
    const pending = { pending: [textBlock("changed: a word")] };
    const shown: readonly TaskEmitted[] = [...judged(pass), { type: "message.appended", message }];
    const silent = "a response was changed, and nobody is told why";
    expect(found(told)).toBe(silent);
    expect(found({ ...told, emitted: shown })).toBe(silent);
    expect(found({ ...told, after: { ...told.after, ...pending } })).toBe(silent);
    expect(found({ ...told, emitted: shown, after: { ...told.after, ...pending } })).toBeUndefined();
  });
});

describe("CONTROL: the author of a call is kept", () => {
  const trusted = { name: "bash", ask: "command" } as const;
  const replaced = hooked(controlOf(recordOf("call", { verdict: "replace" })), {
    verdict: { kind: "amend", hook: "control", input: {}, trusted },
  });
  const replace = (is: ToolCall): StepParts => ({
    before: hooking,
    event: replaced,
    after: { turn: turnOf(is) },
    emitted: judged(controlOf(recordOf("call", { verdict: "replace" }))),
  });

  it("a call in place of another one is the trusted model's", () => {
    const author = "trusted";
    const is = callOf("c1", "deciding", trusted);
    expect(found(replace({ ...is, author }))).toBeUndefined();
    expect(found(replace(is))).toBe("c1 has the author untrusted: expected trusted");
    expect(found(replace({ ...callOf("c1", "deciding"), author }))).toBe(
      "the trusted model wrote c1 as a call of bash, and it is one of write_to_file",
    );
    expect(found(replace(settled("c1", "denied")))).toBeUndefined();
    expect(found(replace({ ...settled("c1", "denied"), author }))).toBe(
      "c1 has the author trusted: expected untrusted",
    );
  });

  it.each([
    ["untrusted", undefined],
    ["trusted", "trusted"],
  ] as const)("a call of a response of the %s model is its call", (judgedAs, author) => {
    const plan = (is: ToolCall): StepParts => ({
      before: { ...controlled("response"), turn: { ...fresh.turn, judged: judgedAs } },
      event: {
        type: "llm.tool.start",
        at: 1,
        requestId: 2,
        index: 0,
        callId: "c1",
        toolUseId: "u",
        name: "a",
        ask: "tool",
      },
      after: { turn: { ...turnOf(is), judged: judgedAs } },
    });
    const [own, other] = [planned("c1"), { ...planned("c1"), author: "trusted" } as const];
    expect(found(plan(author === undefined ? own : other))).toBeUndefined();
    expect(found(plan(author === undefined ? other : own))).toMatch(/^c1 has the author/);
  });

  it("no other event changes it", () => {
    const before = { turn: turnOf({ ...callOf("c1", "deciding"), author: "trusted" } as const) };
    expect(found({ before, after: { turn: turnOf(callOf("c1", "decided")) } })).toBe(
      "c1 has the author untrusted: expected trusted",
    );
  });
});

describe("CONTROL: nothing follows after the protocol ended the task", () => {
  const over = { control: { protocol: "p", state: 0, shutDown: "it ends." } };

  it.each(["llm", "context", "condense", "tool", "subtask", "checkpoint", "hook"] as const)(
    "no actor of %s starts",
    (effect) => {
      const emitted: readonly TaskEmitted[] = [{ type: "effect.started", effect, id: effect }];
      expect(found({ before: over, emitted })).toBe(
        `the protocol has ended the task, and an actor of ${effect} started`,
      );
      expect(found({ before: controlled(), emitted })).toBeUndefined();
    },
  );

  it("an ask may, and no tool is left when the task rests", () => {
    const ask: TaskEmitted = { type: "effect.started", effect: "ask", id: "ask:3" };
    expect(found({ before: over, emitted: [ask], to: "idle.failed" })).toBeUndefined();
    const earlier = [started("tool:c1")];
    expect(found({ before: over, earlier, to: "idle.failed" })).toBe(
      "the protocol has ended the task, and tool:c1 runs",
    );
    expect(found({ before: over, earlier })).toBeUndefined();
    expect(found({ before: controlled(), earlier, to: "idle.failed" })).toBeUndefined();
  });

  it("it stays ended", () => {
    expect(found({ before: over, after: controlled() })).toBe("a task that its protocol ended goes on");
    expect(found({ before: over })).toBeUndefined();
  });

  it("a verdict that ends it is applied as a whole", () => {
    const control: Controlled = { records: [recordOf("call")], state: 1, shutDown: "it ends." };
    const apply = (after: TaskContext["control"]): StepParts => ({
      before: hooking,
      event: hooked(control),
      after: { control: after, turn: turnOf(settled("c1", "denied")) },
      emitted: judged(control),
    });
    expect(found(apply({ protocol: "p", state: 1 }))).toBe(
      "a verdict that ends the task was applied, and it goes on",
    );
    expect(found(apply({ protocol: "p", state: 1, shutDown: "it ends." }))).toBeUndefined();
  });
});

describe("CONTROL: the no of a person who audits a call ends the task", () => {
  const answer = (kind: "yes" | "no", { audits = true, askId = 5, shutDown = false } = {}): StepParts => ({
    before: {
      ...controlled("call"),
      ask: { id: 5, ask: "tool", callId: "c1" },
      turn: turnOf({
        ...callOf("c1", "asking"),
        hooked: { digest: DIGEST, ...(audits && { audits }) },
      } as const),
    },
    event: { type: "ask.answered", at: 1, askId, answer: { kind } },
    ...(shutDown && { after: { control: { protocol: "p", state: 0, shutDown: "an attack" } } }),
  });

  it("and no other answer does", () => {
    expect(found(answer("no"))).toBe("a person found an attack in c1, and the task goes on");
    expect(found(answer("no", { shutDown: true }))).toBeUndefined();
    expect(found(answer("yes"))).toBeUndefined();
    expect(found(answer("no", { audits: false }))).toBeUndefined();
    expect(found(answer("no", { askId: 4 }))).toBeUndefined();
  });
});

describe("CONTROL: the state of the protocol changes by its verdicts", () => {
  const control: Controlled = { records: [recordOf("call")], state: 1 };
  const apply = (emitted: readonly TaskEmitted[], state: number): StepParts => ({
    before: hooking,
    event: hooked(control),
    after: { control: { protocol: "p", state }, turn: turnOf(passed()) },
    emitted,
  });

  it("and each verdict is recorded with it", () => {
    expect(found(apply(judged(control), 1))).toBeUndefined();
    expect(found(apply(judged(control), 0))).toBe(
      "a verdict was recorded that no protocol gave, or its state was lost",
    );
    expect(found({ ...apply([], 1), after: { control: { protocol: "p", state: 1 } } })).toBe(
      "the state of the protocol changed without a verdict",
    );
    const denied = { turn: turnOf(settled("c1", "denied")) };
    expect(found({ ...apply([{ type: "event.noted" }], 0), after: denied })).toBe(
      "a verdict was applied, and it is not recorded",
    );
    expect(found({ ...apply([], 0), after: {} })).toBeUndefined();
    expect(found({ before: controlled("call"), after: { control: { protocol: "q", state: 0 } } })).toBe(
      "the state of the protocol changed without a verdict",
    );
  });
});

describe("CONTROL: the rationale of a monitor is in its record alone", () => {
  const control = controlOf(recordOf("call", { rationales: { m: 'It "reads" a key.' } }));
  const deny = (after: Partial<TaskContext>, ...emitted: readonly TaskEmitted[]): StepParts => ({
    before: hooking,
    event: hooked(control),
    after: { turn: turnOf(settled("c1", "denied")), ...after },
    emitted: [...judged(control), ...emitted],
  });
  const leaked = "the rationale of a monitor left its record";
  const text = 'no: It "reads" a key.';

  it("and in no result, request or message", () => {
    expect(found(deny({}))).toBeUndefined();
    expect(found(deny({ turn: turnOf(settled("c1", "denied", text)) }))).toBe(leaked);
    expect(found(deny({ pending: [textBlock(text)] }))).toBe(leaked);
    const message = { ts: 3, type: "say", say: "hook", text } as const;
    expect(found(deny({}, { type: "message.appended", message }))).toBe(leaked);
  });
});
