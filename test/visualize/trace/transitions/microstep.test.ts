import { describe, expect, test } from "vitest";
import { createActor, createMachine, type InspectionEvent } from "xstate";
import type { Microstep } from "../../../../visualize/trace/trace-event.ts";
import { microstepOf } from "../../../../visualize/trace/transitions/microstep.ts";

/** Two regions; one has a wildcard transition, the other an eventless one. */
const machine = createMachine({
  id: "pair",
  type: "parallel",
  states: {
    ear: { initial: "open", states: { open: { on: { "*": { actions: "hear" } } } } },
    leg: {
      initial: "left",
      states: {
        left: { on: { "step.wide": { target: "mid", guard: "isFree", actions: ["lift", "put"] } } },
        mid: { always: "right" },
        right: {},
      },
    },
  },
}).provide({
  actions: { hear: () => {}, lift: () => {}, put: () => {} },
  guards: { isFree: () => true },
});

/** The microsteps of these events. */
function microstepsOf(...types: readonly string[]): readonly Microstep[] {
  const observed: Microstep[] = [];
  const inspect = (event: InspectionEvent) => {
    if (event.type === "@xstate.microstep") observed.push(microstepOf(event.event.type, event._transitions));
  };
  const actor = createActor(machine, { inspect });
  actor.start();
  observed.length = 0;
  for (const type of types) actor.send({ type });
  return observed;
}

const HEARD = { source: "ear.open", event: "*", targets: [] };

describe("a microstep", () => {
  test("has each transition and their actions, in order; an eventless one has no event", () => {
    expect(microstepsOf("step.wide")).toEqual([
      {
        event: "step.wide",
        transitions: [
          HEARD,
          { source: "leg.left", event: "step.wide", guard: "isFree", targets: ["leg.mid"] },
        ],
        actions: ["hear", "lift", "put"],
      },
      { event: "", transitions: [{ source: "leg.mid", event: "", targets: ["leg.right"] }], actions: [] },
    ]);
  });

  test("has the event, also if it took a wildcard transition", () => {
    const heard = { transitions: [HEARD], actions: ["hear"] };
    expect(microstepsOf("bang", "whisper")).toEqual([
      { event: "bang", ...heard },
      { event: "whisper", ...heard },
    ]);
  });

  test("is eventless if it took no transition", () => {
    expect(microstepOf("stop", [])).toEqual({ event: "", transitions: [], actions: [] });
  });
});
