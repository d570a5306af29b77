import { describe, expect, it } from "vitest";
import { PersistentList } from "../../../machines/list/list.ts";
import type { TaskContext } from "../../../machines/task/task.context.ts";
import { passive } from "../../../verify/laws/passive.ts";
import { started } from "./commit-parts.ts";
import { type StepParts, stepOf } from "./step.ts";

const ask = { id: 5, ask: "resume_task" } as const;
const AT_REST: StepParts = { from: "resumable", before: { ask }, earlier: [started("ask:5")] };

/** The violation of a macrostep whose task is passivated and activated with these changes. */
function found(parts: StepParts, changes: Partial<TaskContext> = {}, state?: string): string | undefined {
  const step = stepOf({ ...AT_REST, ...parts });
  const { after } = step;
  const activated = { state: state ?? after.state, context: { ...after.context, ...changes } };
  return passive.violation({ ...step, activated });
}

describe("PASSIVE: an activated task", () => {
  it("is the same: equal data is not a difference", () => {
    expect(found({})).toBeUndefined();
    expect(found({}, { ask: { ...ask }, log: PersistentList.empty(), queue: [] })).toBeUndefined();
  });

  it.each([
    ["state", {}, "idle.completed", /^activated in idle.completed, passivated in resumable$/],
    ["a message", { log: PersistentList.of({ ts: 1, type: "say" }) }, undefined, /^log differs/],
    ["a field that is missing", { ask: undefined }, undefined, /^ask differs/],
    ["a value", { ask: { ...ask, id: 6 } }, undefined, /^ask differs/],
    ["a further value", { ask: { ...ask, callId: "c1" } }, undefined, /^ask differs/],
    ["the kind of a value", { queue: new Set() as never }, undefined, /^queue differs/],
    ["text for a list", { queue: "" as never }, undefined, /^queue differs/],
    ["nothing for a list", { queue: null as never }, undefined, /^queue differs/],
  ] as const)("is the same: %s is a difference", (_, changes, state, what) => {
    expect(found({}, changes as Partial<TaskContext>, state)).toMatch(what);
  });
});

describe("PASSIVE: a task is passivated only", () => {
  it.each(["idle.failed", "resumable", "waiting_for_input.approval"])("in %s", (from) => {
    expect(found({ from })).toBeUndefined();
  });

  it.each(["no_task", "running.calling", "streaming.receiving"])("not in %s", (from) => {
    expect(found({ from })).toBe(`passivated in ${from}`);
  });

  it("while the actor of its open ask is the only one that works", () => {
    const earlier = [started("ask:5"), started("tool:c1")];
    expect(found({ earlier })).toBe("passivated while tool:c1 works");
    expect(found({ before: { ask: { ...ask, id: 6 } } })).toBe("passivated while ask:5 works");
    expect(found({ before: {}, earlier: [] })).toBeUndefined();
  });

  it("is not checked otherwise", () => {
    expect(passive.violation(stepOf({ from: "running.calling" }))).toBeUndefined();
  });
});
