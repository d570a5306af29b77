import { describe, expect, it } from "vitest";
import { NO_USAGE } from "../../machines/task/request.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { controlled, EXPLORED_PROTOCOL } from "../../verify/controlled.ts";
import { createCase, explore } from "../../verify/index.ts";
import { interferenceOf, withOtherRationales } from "../../verify/interference.ts";
import { type StepParts, stepOf } from "./laws/step.ts";

const JUDGED = {
  type: "response.judged",
  at: 1,
  requestId: 2,
  author: "untrusted",
  usage: NO_USAGE,
  control: {
    records: [
      {
        point: "response",
        author: "untrusted",
        digest: "d",
        verdict: "pass",
        scores: { m: 0.1 },
        rationales: { m: "fine" },
      },
    ],
    state: 1,
  },
} as const satisfies TaskEvent;

describe("an event with other rationales", () => {
  it("differs in nothing but what the monitors say", () => {
    const other = withOtherRationales(JUDGED);
    const [record] = JUDGED.control.records;
    const rationales = { another: "another rationale, which is longer" };
    expect(other).toEqual({
      ...JUDGED,
      control: { state: 1, records: [{ ...record, rationales }] },
    });
  });

  it("does not exist for an event without a protocol, or for a crash", () => {
    expect(withOtherRationales({ type: "task.cancel", origin: "user", at: 1 })).toBeUndefined();
    const { control: _, ...hooked } = { ...JUDGED, control: undefined };
    expect(
      withOtherRationales({
        ...hooked,
        type: "call.hooked",
        callId: "c1",
        digest: "d",
        verdict: { kind: "allow" },
        texts: [],
      }),
    ).toBeUndefined();
    expect(
      withOtherRationales({ type: "process.crashed", at: 1, keepsGrowth: false, ends: [], childEnds: [] }),
    ).toBeUndefined();
  });
});

describe("NI: two macrosteps that differ only in rationales", () => {
  const between = (one: StepParts, other: StepParts) => interferenceOf(stepOf(one), stepOf(other));
  const [record] = JUDGED.control.records;

  it("may differ in the records of the journal and in the event", () => {
    const one: StepParts = { event: JUDGED, emitted: [{ type: "control.judged", record }] };
    const { rationales: _, ...silent } = record;
    const other: StepParts = {
      event: { type: "task.cancel", origin: "user", at: 1 },
      emitted: [{ type: "control.judged", record: silent }],
    };
    expect(between(one, other)).toBeUndefined();
    expect(between({ after: { cause: JUDGED } }, {})).toBeUndefined();
  });

  it("have the same state, events and context", () => {
    expect(between({ to: "idle.failed" }, {})).toBe(
      "what a monitor says decides between idle.failed and running.calling",
    );
    expect(between({ emitted: [{ type: "queue.changed", queue: [] }] }, {})).toBe(
      "what a monitor says changes a message, a record or an effect",
    );
    expect(between({ after: { contextTokens: 7 } }, {})).toBe("what a monitor says changes contextTokens");
  });
});

describe("an exploration of a controlled task", () => {
  const small = controlled(createCase({ turns: 1, calls: 0, tools: [] }), EXPLORED_PROTOCOL);
  /** A machine that withholds a response because of what a monitor says. */
  const listening = taskMachine.provide({
    guards: {
      isWithheld: ({ event }) =>
        event.type === "response.judged" &&
        event.requestId > 0 &&
        (event.withheld !== undefined || JSON.stringify(event.control).includes("longer")),
    },
  });

  it("finds a machine that listens to rationales, on a path with the event as it came", () => {
    const { violations } = explore({ machine: listening, laws: [], ...small });
    expect(violations[0]).toMatchObject({
      law: "NI",
      what: "what a monitor says decides between streaming.receiving and streaming.preparing",
    });
    expect(violations[0]?.path.map(({ type }) => type)).toEqual([
      "task.start",
      "task.opened",
      "context.ready",
      "response.judged",
    ]);
    expect(JSON.stringify(violations[0]?.path)).not.toContain("longer");
  });

  it("does not look for it where it is asked not to", () => {
    const options = { machine: listening, laws: [], ...small, interference: false, maxStates: 60 };
    expect(explore(options).violations).toEqual([]);
  });
});
