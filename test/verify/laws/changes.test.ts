import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyLogEvent, type Log, type LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { TaskEmitted } from "../../../machines/task/task.events.ts";
import { actorsAfter, isChangedBy, startedIds } from "../../../verify/laws/changes.ts";
import { replica } from "../../../verify/laws/replica.ts";
import { foreignEvent } from "../../machines/message/arbitraries.ts";
import { test } from "../../support/prop.ts";
import { fresh, stepOf } from "./step.ts";

const textOf = (log: Log): string => JSON.stringify(log);

describe("the log events of a macrostep (L2)", () => {
  test.prop([
    fc.array(foreignEvent(), { maxLength: 8 }),
    fc.array(foreignEvent(), { maxLength: 4 }),
    fc.nat(),
  ])("yield the log; a missing event is detected", (past, events, which) => {
    const old = past.reduce(applyLogEvent, fresh.log);
    const after = events.reduce(applyLogEvent, old);
    expect(
      replica.violation(stepOf({ emitted: events, before: { log: old }, after: { log: after } })),
    ).toBeUndefined();
    if (events.length === 0) return;
    const without: LogEvent[] = events.toSpliced(which % events.length, 1);
    const other = without.reduce(applyLogEvent, old);
    const found = replica.violation(stepOf({ emitted: events, before: { log: old }, after: { log: other } }));
    if (textOf(other) === textOf(after)) expect(found).toBeUndefined();
    else expect(found).toMatch(/^message \d+: the folded events have .*, the log has /);
  });
});

describe("a log of the same length that differs from its events (L2)", () => {
  const message = (ts: number): ClineMessage => ({ ts, type: "say", say: "text", text: `row ${ts}` });
  const append = (ts: number): LogEvent => ({ type: "message.appended", message: message(ts) });
  const log = [append(1), append(2)].reduce(applyLogEvent, fresh.log);

  it.each<[string, LogEvent[], number]>([
    ["one message instead of another", [{ type: "log.truncated", length: 1 }, append(3)], 1],
    ["other messages instead of all", [{ type: "log.replaced", messages: [message(1), message(3)] }], 1],
    ["a different first message", [{ type: "log.replaced", messages: [message(3), message(2)] }], 0],
    ["another text", [{ type: "message.amended", ts: 1, patch: { text: "other" } }], 0],
  ])("is detected when the events say %s", (_, emitted, at) => {
    expect(replica.violation(stepOf({ emitted, before: { log } }))).toMatch(
      `message ${at}: the folded events have`,
    );
    const after = { log: emitted.reduce(applyLogEvent, log) };
    expect(replica.violation(stepOf({ emitted, before: { log }, after }))).toBeUndefined();
  });
});

const started = (effect: "tool" | "llm", id: string): TaskEmitted => ({ type: "effect.started", effect, id });
const stopped = (id: string): TaskEmitted => ({ type: "effect.stopped", effect: "tool", id });

describe("the edge actors of a macrostep", () => {
  it("are listed by kind, in order", () => {
    const step = stepOf({ emitted: [started("llm", "llm:1"), started("tool", "b"), started("tool", "a")] });
    expect(startedIds(step, "tool")).toEqual(["b", "a"]);
    expect(startedIds(step, "llm")).toEqual(["llm:1"]);
    expect(startedIds(step, "review")).toEqual([]);
  });

  it("are active from start to stop, also within one macrostep", () => {
    const alive = new Set(["a", "b"]);
    expect(
      actorsAfter(alive, [stopped("a"), started("tool", "c"), started("tool", "d"), stopped("c")]),
    ).toEqual(new Set(["b", "d"]));
    expect(actorsAfter(alive, [stopped("a"), { type: "turn.ended" }])).toEqual(new Set(["b"]));
    expect(actorsAfter(alive, [{ type: "turn.ended" }])).toBe(alive);
    expect(alive).toEqual(new Set(["a", "b"]));
  });
});

describe("a macrostep changed nothing", () => {
  it("if it emitted nothing and left the context equal, except for counters", () => {
    expect(isChangedBy(stepOf({}))).toBe(false);
    expect(isChangedBy(stepOf({ after: { counters: { ...fresh.counters, requests: 7 } } }))).toBe(false);
  });

  it.each(["log", "turn", "queue", "pending", "mode", "conversation"] as const)(
    "but not if %s differs",
    (key) => {
      const other = { ...fresh, [key]: { another: key } };
      const step = stepOf({});
      expect(isChangedBy({ ...step, after: { ...step.after, context: other } })).toBe(true);
    },
  );

  it("but not if it emitted an event or changed the state", () => {
    expect(isChangedBy(stepOf({ emitted: [{ type: "turn.ended" }] }))).toBe(true);
    const step = stepOf({});
    expect(isChangedBy({ ...step, after: { ...step.after, state: "idle.completed" } })).toBe(true);
  });
});
