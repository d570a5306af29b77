import { describe, expect, test } from "vitest";
import { createActor, createMachine, type InspectionEvent } from "xstate";
import type { Microstep } from "../../../trace/index.ts";
import { microstepOf } from "../../../trace/index.ts";

/** Two regions; one hears any event, the other goes on by itself. */
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

/** The microsteps of these events, in words. */
function told(...types: readonly string[]): readonly Microstep[] {
  const said: Microstep[] = [];
  const inspect = (event: InspectionEvent) => {
    if (event.type === "@xstate.microstep") said.push(microstepOf(event.event.type, event._transitions));
  };
  const actor = createActor(machine, { inspect });
  actor.start();
  said.length = 0;
  for (const type of types) actor.send({ type });
  return said;
}

const HEARD = { source: "ear.open", event: "*", targets: [] };

describe("a microstep in words", () => {
  test("has each row that it took, and what they do, one after the other; one by itself has no event", () => {
    expect(told("step.wide")).toEqual([
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

  test("has the event that came, also where the row that it took is for any event", () => {
    const heard = { transitions: [HEARD], actions: ["hear"] };
    expect(told("bang", "whisper")).toEqual([
      { event: "bang", ...heard },
      { event: "whisper", ...heard },
    ]);
  });

  test("is by itself where it took no row", () => {
    expect(microstepOf("stop", [])).toEqual({ event: "", transitions: [], actions: [] });
  });
});
