import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { initialTransition } from "xstate";
import { applyLogEvent, type Log, type LogEvent } from "../../../machines/message/index.ts";
import { type TaskContext, type TaskEmitted, taskMachine } from "../../../machines/task/index.ts";
import type { Step } from "../../../verify/index.ts";
import { aliveAfter, changedAnything, startedIn } from "../../../verify/laws/changes.ts";
import { replica } from "../../../verify/laws/replica.ts";
import { firstView, viewAfter } from "../../../verify/view.ts";
import { foreignEvent } from "../../machines/message/arbitraries.ts";
import { test } from "../../support/prop.ts";

const [{ context }] = initialTransition(taskMachine, { taskId: "t1" });

/** A macrostep that tells these pieces, and leaves this of the context. */
function stepOf(
  emitted: readonly TaskEmitted[],
  after: Partial<TaskContext>,
  before: Partial<TaskContext> = {},
): Step {
  const view = firstView({ state: "running.calling", context: { ...context, ...before } });
  const position = { state: view.state, context: { ...view.context, ...after } };
  return {
    before: view,
    event: { type: "task.cancel", at: 1 },
    after: viewAfter(view, emitted, position),
    emitted,
  };
}

const textOf = (log: Log): string => JSON.stringify(log);

describe("what a macrostep tells of the log (L2)", () => {
  test.prop([
    fc.array(foreignEvent(), { maxLength: 8 }),
    fc.array(foreignEvent(), { maxLength: 4 }),
    fc.nat(),
  ])(
    "gives the log that is there; another log is noticed, whichever of the events it doesn't know",
    (past, told, which) => {
      const old = past.reduce(applyLogEvent, context.log);
      const after = told.reduce(applyLogEvent, old);
      expect(replica.violation(stepOf(told, { log: after }, { log: old }))).toBeUndefined();
      if (told.length === 0) return;
      const without: LogEvent[] = told.toSpliced(which % told.length, 1);
      const other = without.reduce(applyLogEvent, old);
      const found = replica.violation(stepOf(told, { log: other }, { log: old }));
      if (textOf(other) === textOf(after)) expect(found).toBeUndefined();
      else expect(found).toMatch(/^row \d+: the events give .*, the log has /);
    },
  );
});

const started = (effect: "tool" | "llm", id: string): TaskEmitted => ({ type: "effect.started", effect, id });
const stopped = (id: string): TaskEmitted => ({ type: "effect.stopped", effect: "tool", id });

describe("the edge actors of a macrostep", () => {
  it("are those of the kind that is asked for, in order", () => {
    const step = stepOf([started("llm", "llm:1"), started("tool", "b"), started("tool", "a")], {});
    expect(startedIn(step, "tool")).toEqual(["b", "a"]);
    expect(startedIn(step, "llm")).toEqual(["llm:1"]);
    expect(startedIn(step, "review")).toEqual([]);
  });

  it("live from their start to their stop, also within one macrostep", () => {
    const alive = new Set(["a", "b"]);
    expect(
      aliveAfter(alive, [stopped("a"), started("tool", "c"), started("tool", "d"), stopped("c")]),
    ).toEqual(new Set(["b", "d"]));
    expect(aliveAfter(alive, [stopped("a"), { type: "turn.ended" }])).toEqual(new Set(["b"]));
    expect(aliveAfter(alive, [{ type: "turn.ended" }])).toBe(alive);
    expect(alive).toEqual(new Set(["a", "b"]));
  });
});

describe("a macrostep changed nothing", () => {
  it("where it told nothing and left all as it was, whatever it counted", () => {
    expect(changedAnything(stepOf([], {}))).toBe(false);
    expect(changedAnything(stepOf([], { counters: { ...context.counters, requests: 7 } }))).toBe(false);
  });

  it.each(["log", "turn", "queue", "pending", "mode", "conversation"] as const)(
    "but not where %s is another",
    (key) => {
      const other = { ...context, [key]: { another: key } };
      const step = stepOf([], {});
      expect(changedAnything({ ...step, after: { ...step.after, context: other } })).toBe(true);
    },
  );

  it("but not where it told something, or came to another state", () => {
    expect(changedAnything(stepOf([{ type: "turn.ended" }], {}))).toBe(true);
    const step = stepOf([], {});
    expect(changedAnything({ ...step, after: { ...step.after, state: "idle.completed" } })).toBe(true);
  });
});
