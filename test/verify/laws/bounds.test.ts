import { describe, expect, it } from "vitest";
import type { TaskLimits } from "../../../machines/task/limits.ts";
import type { TaskContext } from "../../../machines/task/task.context.ts";
import type {
  Compaction,
  Counters,
  StopReason,
  TaskEmitted,
  TaskEvent,
  Usage,
} from "../../../machines/task/task.events.ts";
import type { Phase, ToolCall } from "../../../machines/tool-call/call.ts";
import { bounds } from "../../../verify/laws/bounds.ts";
import { callOf, turnOf } from "./calls.ts";
import { appended, ask, say, started } from "./commit-parts.ts";
import { fresh, stepOf } from "./step.ts";

const USAGE: Usage = { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 0 };

const limits = (some: Partial<TaskLimits>) => ({ limits: { ...fresh.limits, ...some } });
const counted = (some: Partial<Counters>) => ({ counters: { ...fresh.counters, ...some } });
const several = <T>(count: number, one: (id: string) => T): T[] =>
  Array.from({ length: count }, (_, index) => one(`${index}`));
const said = (kind: string, text = kind): TaskEmitted => appended(say(1, kind, { text }));
const asked = (kind: string): TaskEmitted => appended(ask(1, kind, { text: kind }));
const callsIn = (count: number, phase: Phase): ToolCall[] => several(count, (id) => callOf(id, phase));

describe("a count (L14)", () => {
  const counts: readonly [keyof TaskLimits, (count: number) => Partial<TaskContext>][] = [
    ["queued", (count) => ({ queue: several(count, (id) => ({ id, text: id, images: [] })) })],
    ["calls", (count) => ({ turn: turnOf(...callsIn(count, "planned")) })],
    ["parallelReads", (count) => ({ turn: turnOf(...callsIn(count, "running")) })],
    ["background", (count) => ({ background: several(count, (callId) => ({ callId, command: "sleep" })) })],
    ["retries", (retries) => counted({ retries })],
    ["pauses", (pauses) => counted({ pauses })],
  ];

  describe.each(counts)("%s", (name, of) => {
    it.each([0, 1, 2])("of %i is within the limit of 2", (count) => {
      expect(bounds.violation(stepOf({ before: limits({ [name]: 2 }), after: of(count) }))).toBeUndefined();
    });

    it("of 3 exceeds the limit of 2", () => {
      expect(bounds.violation(stepOf({ before: limits({ [name]: 2 }), after: of(3) }))).toBe(
        `${name}: 3 of 2`,
      );
    });

    it("may exceed its limit before the macrostep", () => {
      const before = { ...limits({ [name]: 2 }), ...of(3) };
      expect(bounds.violation(stepOf({ before, after: of(2) }))).toBeUndefined();
    });
  });

  it.each<Phase>(["planned", "deciding", "decided", "asking", "approved", "stopped", "delegated"])(
    "of calls includes one that is %s, besides settled ones",
    (phase) => {
      const settled = callOf("c", "settled");
      const at = (...calls: ToolCall[]) =>
        bounds.violation(stepOf({ before: { ...limits({ calls: 1 }), turn: turnOf(settled, ...calls) } }));
      expect(at(callOf("a", phase))).toBeUndefined();
      expect(at(callOf("a", phase), callOf("b", phase))).toBe("calls: 2 of 1");
    },
  );

  it.each<Phase>(["planned", "deciding", "decided", "asking", "approved", "stopped", "delegated", "settled"])(
    "of parallelReads excludes a call that is %s",
    (phase) => {
      const turn = turnOf(callOf("a", "running"), callOf("b", phase));
      expect(bounds.violation(stepOf({ before: { ...limits({ parallelReads: 1 }), turn } }))).toBeUndefined();
    },
  );

  it("of parallelReads may be 1 with the limit 0, so that a call can run", () => {
    const running = (count: number) => ({
      ...limits({ parallelReads: 0 }),
      turn: turnOf(...callsIn(count, "running")),
    });
    expect(bounds.violation(stepOf({ before: running(1) }))).toBeUndefined();
    expect(bounds.violation(stepOf({ before: running(2) }))).toBe("parallelReads: 2 of 1");
  });
});

describe("a request (L14)", () => {
  const opened: readonly TaskEmitted[] = [started("context:1")];
  const sent: readonly TaskEmitted[] = [started("llm:1")];
  const bounded = limits({ requests: 4, cost: 2, mistakes: 3 });
  const beyond: readonly [string, Partial<Counters>, RegExp][] = [
    ["one more than the limit of requests", { requests: 5 }, /^request 5 of 4 was opened$/],
    ["the limit of cost", { cost: 2 }, /opened at 2 of 2 dollars/],
    ["more than the limit of cost", { cost: 2.5 }, /opened at 2\.5 of 2 dollars/],
    ["an unknown cost", { cost: null }, /opened at an unknown cost of 2 dollars/],
    ["the limit of mistakes", { mistakes: 3 }, /opened after 3 mistakes of 3/],
    ["more than the limit of mistakes", { mistakes: 4 }, /opened after 4 mistakes of 3/],
  ];

  it.each<[string, Partial<Counters>]>([
    ["the limit of requests itself", { requests: 4 }],
    ["just under the limit of cost", { cost: 1.99 }],
    ["one under the limit of mistakes", { mistakes: 2 }],
    ["all of these together", { requests: 4, cost: 1.99, mistakes: 2 }],
  ])("may be opened at %s", (_, counters) => {
    expect(
      bounds.violation(stepOf({ before: bounded, after: counted(counters), emitted: opened })),
    ).toBeUndefined();
  });

  it("may be opened at an unknown cost without a limit", () => {
    const after = counted({ cost: null });
    expect(bounds.violation(stepOf({ before: limits({}), after, emitted: opened }))).toBeUndefined();
  });

  describe.each(beyond)("at %s", (_, counters, expected) => {
    it("may not be opened", () => {
      expect(
        bounds.violation(stepOf({ before: bounded, after: counted(counters), emitted: opened })),
      ).toMatch(expected);
    });

    it("that is open may be sent, and the task may continue", () => {
      const there = { before: bounded, after: counted(counters) };
      expect(bounds.violation(stepOf({ ...there, emitted: sent }))).toBeUndefined();
      expect(bounds.violation(stepOf(there))).toBeUndefined();
    });

    it("may be opened in the macrostep in which the user allows more", () => {
      const before = { ...bounded, ...counted(counters) };
      expect(
        bounds.violation(stepOf({ before, after: counted({ requests: 1 }), emitted: opened })),
      ).toBeUndefined();
    });
  });

  it.each([0, 1, 99])("may be opened after %i mistakes with the limit 0, which disables it", (mistakes) => {
    const before = { ...limits({ mistakes: 0 }), ...counted({ mistakes }) };
    expect(bounds.violation(stepOf({ before, emitted: opened }))).toBeUndefined();
  });
});

const LIMIT = "It paused more than 2 times (the limit `pauses`).";
const PAUSES = said("error", LIMIT);

describe("a turn that the model pauses (L14)", () => {
  const finished = (stopReason: StopReason): TaskEvent => ({
    type: "llm.finished",
    at: 1,
    requestId: 1,
    stopReason,
    content: [],
    usage: USAGE,
  });
  const paused = (
    pauses: number,
    emitted: readonly TaskEmitted[],
    event: TaskEvent = finished("pause_turn"),
    turn = turnOf(),
  ) =>
    bounds.violation(
      stepOf({
        event,
        before: { ...limits({ pauses: 2 }), ...counted({ pauses }), turn },
        after: counted({ pauses: 0 }),
        emitted,
      }),
    );

  it("continues without a message below the limit", () => {
    expect(paused(1, [])).toBeUndefined();
  });

  it.each([2, 3])("is an error at %i of 2", (pauses) => {
    expect(paused(pauses, [])).toMatch(/^pauses: the limit of 2 was reached without a message$/);
    expect(paused(pauses, [PAUSES])).toBeUndefined();
  });

  it("requires an error message that names the limit", () => {
    expect(paused(2, [said("text"), PAUSES, said("text")])).toBeUndefined();
    expect(paused(2, [said("text", LIMIT)])).toMatch(/reached without a message/);
    expect(paused(2, [said("error")])).toMatch(/reached without a message/);
    expect(paused(2, [said("error", "MODEL_NO_TOOLS_USED")])).toMatch(/reached without a message/);
    expect(paused(2, [asked("error")])).toMatch(/reached without a message/);
  });

  it.each<StopReason>(["end_turn", "tool_use", "max_tokens", "stop_sequence"])(
    "requires no error when it stops for %s",
    (stopReason) => {
      expect(paused(2, [], finished(stopReason))).toBeUndefined();
    },
  );

  it("requires no error when it has calls, whose results continue it", () => {
    expect(paused(2, [], finished("pause_turn"), turnOf(callOf("a", "decided")))).toBeUndefined();
  });

  it("requires no error when another event ends it", () => {
    expect(paused(2, [], { type: "task.cancel", origin: "user", at: 1 })).toBeUndefined();
  });
});

describe("a request that failed (L14)", () => {
  const failed: TaskEvent = {
    type: "llm.failed",
    at: 1,
    requestId: 7,
    failure: { code: "overloaded_error", message: "busy", retryable: true },
    usage: USAGE,
    jitter: 0,
  };
  const outOf = (request: number | undefined, emitted: readonly TaskEmitted[], event: TaskEvent = failed) =>
    bounds.violation(stepOf({ event, before: { request }, emitted }));

  it.each<[string, TaskEmitted]>([
    ["asked about", asked("api_req_failed")],
    ["retried, with a message", said("api_req_retry_delayed")],
    ["condensed without success", said("condense_context_error")],
  ])("is %s, among other messages", (_, message) => {
    expect(outOf(7, [message])).toBeUndefined();
    expect(outOf(7, [said("text"), message])).toBeUndefined();
  });

  it.each<[string, readonly TaskEmitted[]]>([
    ["nothing", []],
    ["another message", [said("error")]],
    ["another ask", [asked("resume_task")]],
    ["a say message of the ask's kind", [said("api_req_failed")]],
    ["an ask of the say message's kind", [asked("api_req_retry_delayed")]],
  ])("is violated by %s", (_, emitted) => {
    expect(outOf(7, emitted)).toMatch(/neither retried, condensed nor asked about/);
  });

  it("is condensed next, once until there is a response", () => {
    const requested = { state: "requested", by: "window", instructions: "" } as const;
    const outOfWindow = (before: Compaction | null, after: Compaction | null) =>
      bounds.violation(
        stepOf({ event: failed, before: { request: 7, compaction: before }, after: { compaction: after } }),
      );
    expect(outOfWindow(null, requested)).toBeUndefined();
    expect(outOfWindow({ state: "applied" }, requested)).toMatch(/neither retried/);
    expect(outOfWindow(null, { state: "applied" })).toMatch(/neither retried/);
  });

  it("is one of a condensation too", () => {
    const { failure, usage } = failed as Extract<TaskEvent, { type: "llm.failed" }>;
    const condensing: TaskEvent = { type: "condense.failed", at: 1, requestId: 7, failure, usage, jitter: 0 };
    expect(outOf(7, [], condensing)).toMatch(/neither retried/);
    expect(outOf(7, [said("condense_context_error")], condensing)).toBeUndefined();
  });

  it.each([undefined, 6])("is ignored while request %s is open", (request) => {
    expect(outOf(request, [])).toBeUndefined();
  });

  it("is not required after a delta", () => {
    expect(
      outOf(7, [], { type: "llm.text.delta", at: 1, requestId: 7, index: 0, text: "a" }),
    ).toBeUndefined();
  });
});

describe("a call beyond the limit of calls (L14)", () => {
  const start = (callId: string): TaskEvent => ({
    type: "llm.tool.start",
    at: 1,
    requestId: 1,
    index: 0,
    callId,
    toolUseId: `use-${callId}`,
    name: "read_file",
    ask: "tool",
  });
  const [a, b, c, d] = [
    callOf("a", "settled"),
    callOf("b", "settled"),
    callOf("c", "settled"),
    callOf("d", "settled"),
  ];
  const at = (event: TaskEvent, ...calls: ToolCall[]) =>
    bounds.violation(stepOf({ event, before: limits({ calls: 2 }), after: { turn: turnOf(...calls) } }));

  it("is rejected with a notice to the user", () => {
    expect(at(start("c"), a, b, c)).toBe("calls: c was rejected without a notice");
    expect(
      at(start("c"), a, b, callOf("c", "settled", { notice: { say: "error", text: "too many" } })),
    ).toBeUndefined();
  });

  it("is rejected with its own notice, also after another", () => {
    const noticed = callOf("c", "settled", { notice: { say: "error", text: "too many" } });
    expect(at(start("d"), a, b, noticed, d)).toBe("calls: d was rejected without a notice");
  });

  it("within the limit may settle without a notice", () => {
    expect(at(start("b"), a, b)).toBeUndefined();
    expect(at(start("a"), a, b, c)).toBeUndefined();
  });

  it("is checked only with the event that started it", () => {
    expect(at(start("d"), a, b, c)).toBeUndefined();
    expect(
      at({ type: "llm.tool.end", at: 1, requestId: 1, callId: "c", input: {} }, a, b, c),
    ).toBeUndefined();
  });

  it("is rejected at once and never planned", () => {
    expect(at(start("c"), a, b, callOf("c", "planned"))).toBe(
      "calls: c was accepted beyond the limit of 2 and is planned",
    );
  });

  it("is rejected only at its start", () => {
    const before = { ...limits({ calls: 2 }), turn: turnOf(a, b, callOf("c", "planned")) };
    expect(bounds.violation(stepOf({ event: start("c"), before }))).toBeUndefined();
  });
});
