import { describe, expect, it } from "vitest";
import { createActor } from "xstate";
import { fromPassive, isPassivatable, toPassive } from "../../../machines/task/passivation.ts";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import { Scenario } from "../../support/scenario.ts";
import {
  approved,
  asked,
  commandInBackground,
  completed,
  delegated,
  question,
  write,
} from "../../support/scenarios/setups.ts";
import { silentActors } from "../../support/silent-actors.ts";

const machine = taskMachine.provide({ actors: silentActors });
const input = { taskId: "t", limits: { queued: 7 }, mode: "ask", checkpoints: false, autoRetry: false };
const snapshotOf = (scenario: Scenario) => scenario.run.actor.getSnapshot();

describe("PASSIVE: a task is passivated", () => {
  it.each([
    ["waits for an approval", () => asked(write)],
    ["waits for an answer", () => asked(question)],
    ["has offered its result", () => completed()],
    ["is completed", () => completed().answers("yes")],
    ["was cancelled", () => asked(write).cancelled()],
    ["is reopened with its result", () => completed().crashes()],
  ])("while it %s", (_, scenario) => {
    expect(isPassivatable(snapshotOf(scenario()))).toBe(true);
  });

  it.each([
    ["runs a call", () => approved()],
    ["waits for a subtask", () => delegated()],
    ["has a command in the background", () => commandInBackground().calls(write).finishes()],
    ["awaits the result of a stopped call", () => approved().cancelled()],
    [
      "awaits the result of a stopped call beside one that has ended",
      () => {
        const both = new Scenario().begun().calls(write).calls({ name: "apply_diff" }).finishes();
        return both.answers("yes").toolEnds().answers("yes").cancelled();
      },
    ],
  ])("but not while it %s", (_, scenario) => {
    expect(isPassivatable(snapshotOf(scenario()))).toBe(false);
  });

  it("but not before its start, nor once its actor is stopped", () => {
    const actor = createActor(machine, { input });
    expect(isPassivatable(actor.getSnapshot())).toBe(false);
    const rested = asked(write);
    rested.run.actor.stop();
    expect(isPassivatable(snapshotOf(rested))).toBe(false);
  });
});

describe("PASSIVE: an activated task", () => {
  const rest = () => snapshotOf(asked(write, input));

  it("has the snapshot of before, with its open ask's actor, and emits nothing", () => {
    const before = rest();
    const snapshot = fromPassive(toPassive(before, input), input, before.context);
    const actor = createActor(machine, { input, snapshot });
    const emitted: unknown[] = [];
    actor.on("*", (event) => emitted.push(event));
    actor.start();
    const after = actor.getSnapshot();
    expect(after.context).toEqual(before.context);
    expect(after.value).toEqual(before.value);
    expect(Object.keys(after.children)).toEqual(Object.keys(before.children));
    expect(emitted).toEqual([]);
  });

  it("takes what its input and its journal have from them: its passive form has nothing of it", () => {
    const { context } = JSON.parse(toPassive(rest(), input));
    for (const name of ["taskId", "limits", "autoRetry", "checkpoints", "mode", "log", "conversation"])
      expect(context).not.toHaveProperty(name);
    // Nor what is as it is in every new task.
    expect(context).not.toHaveProperty("background");
    expect(context).toHaveProperty("turn");
  });

  it("keeps a mode that was changed to the default one", () => {
    const before = rest();
    const switched = { ...before, context: { ...before.context, mode: "code" } };
    const { context } = fromPassive(toPassive(switched, input), input, before.context) as typeof before;
    expect(context.mode).toBe("code");
  });
});
