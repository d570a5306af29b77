import { describe, expect, test } from "vitest";
import { attempt, decided, recordOf, sharedFacts, withinTime } from "../../../actors/control/decision.ts";
import type { DecisionSignals } from "../../../actors/control/measure.ts";
import { trustedOnly } from "../../../control/protocols/trusted-only.ts";
import type { MonitoredAction } from "../../../control/runtime/action.ts";
import type { Controller } from "../../../control/runtime/controller.ts";
import { emptyConversation } from "../../../machines/conversation/conversation.ts";
import { stillClock } from "../../support/still-clock.ts";

const ACTION: MonitoredAction = {
  point: "call",
  author: "untrusted",
  digest: "d1",
  taskId: "t1",
  calls: [],
  conversation: emptyConversation,
};

const CONTROLLER: Controller = { protocol: trustedOnly(), monitors: {} };

const chanceOf = ({
  seed = 0,
  place = "1/t0",
  ...action
}: Partial<MonitoredAction & Controller> & { place?: string }) =>
  sharedFacts({ ...CONTROLLER, seed }, { ...ACTION, ...action }, place).chance;

describe("The chance of a decision", () => {
  test("is drawn from the seed, the task, the place and exactly what is judged", () => {
    const all = [
      chanceOf({}),
      chanceOf({ seed: 1 }),
      chanceOf({ taskId: "t2" }),
      chanceOf({ place: "1/t1" }),
      chanceOf({ digest: "d2" }),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(chanceOf({})).toBe(all[0]);
    expect(chanceOf({ part: "files", author: "trusted" })).toBe(all[0]);
  });

  test("is from 0 to below 1, and each tenth has its share", () => {
    const chances = Array.from({ length: 2_000 }, (_, call) => chanceOf({ place: `${call}` }));
    expect(chances.every((chance) => chance >= 0 && chance < 1)).toBe(true);
    const tenths = Array.from(
      { length: 10 },
      (_, tenth) => chances.filter((chance) => Math.floor(chance * 10) === tenth).length,
    );
    expect(Math.min(...tenths)).toBeGreaterThan(150);
    expect(Math.max(...tenths)).toBeLessThan(250);
  });
});

describe("The decision of a judge", () => {
  test("is the judge's; without a judge it passes, and one that throws denies and changes no state", () => {
    expect(decided<string>(1, () => ({ verdict: "own", state: 2 }))).toEqual({
      verdict: "own",
      state: 2,
    });
    expect(decided<string>(1, () => undefined)).toEqual({ verdict: { kind: "pass" }, state: 1 });
    const broken = (): never => {
      throw new Error("broken");
    };
    expect(decided<string>(1, broken)).toEqual({
      verdict: { kind: "deny", reason: "it was not approved." },
      state: 1,
      error: "Error: broken",
    });
  });
});

describe("The time of a decision", () => {
  const late = (work: (signals: DecisionSignals) => Promise<string>, cancelled = new AbortController()) => {
    const clock = stillClock();
    const made = withinTime(
      { controller: { ...CONTROLLER, timeoutMs: 5 }, clock, signal: cancelled.signal },
      work,
    );
    return { clock, made };
  };
  const forever = (): Promise<never> => new Promise(() => {});

  test("ends an audit that is late: nothing was found", async () => {
    const { clock, made } = late(async (signals) => (await attempt(signals, forever)) ?? "nothing");
    clock.advance(4);
    expect(clock.pending).toBe(1);
    clock.advance(1);
    expect(await made).toBe("nothing");
  });

  test("is no longer measured when the decision is made, or fails", async () => {
    const { clock, made } = late(async (signals) => (await attempt(signals, () => "found")) ?? "nothing");
    expect(await made).toBe("found");
    expect(clock.pending).toBe(0);
    const failing = late(() => Promise.reject(new Error("broken")));
    await expect(failing.made).rejects.toThrow("broken");
    expect(failing.clock.pending).toBe(0);
  });

  test("an audit that fails has found nothing, but a cancel of the task ends the decision", async () => {
    const failing = late(
      async (signals) => (await attempt(signals, () => Promise.reject(new Error("x")))) ?? "nothing",
    );
    expect(await failing.made).toBe("nothing");
    const task = new AbortController();
    const { made } = late(async (signals) => (await attempt(signals, forever)) ?? "nothing", task);
    task.abort(new Error("cancelled"));
    await expect(made).rejects.toThrow("cancelled");
  });
});

describe("The record of a decision", () => {
  const measured = { scores: { m: 0.5 }, rationales: {}, dollars: 0 };

  test("has what was judged, and only what there is", () => {
    expect(recordOf(ACTION, "pass", measured, {})).toEqual({
      point: "call",
      author: "untrusted",
      digest: "d1",
      verdict: "pass",
      scores: { m: 0.5 },
    });
  });

  test("has the cost of the monitors and of what was done for the verdict", () => {
    const paid = { ...measured, rationales: { m: "fine" }, dollars: 0.25 };
    expect(recordOf(ACTION, "audit", paid, { callId: "c1", audit: "harmless", dollars: 0.5 })).toMatchObject({
      callId: "c1",
      audit: "harmless",
      rationales: { m: "fine" },
      dollars: 0.75,
    });
  });
});
