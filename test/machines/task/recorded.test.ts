import { describe, expect, it } from "vitest";
import type { RecordedCall } from "../../../machines/tool-call/call.ts";
import { Scenario } from "../../support/scenario.ts";
import { command, completion, question, subtask, write } from "../../support/scenarios/setups.ts";

const other = { name: "apply_diff" } as const;

/** The recorded phases and outcomes of calls, in order. */
function recordsOf(play: (scenario: Scenario) => unknown, input = {}): string[] {
  const scenario = new Scenario(input);
  const records: RecordedCall[] = [];
  scenario.run.actor.on("call.changed", ({ call }) => records.push(call));
  play(scenario.begun());
  return records.map((call) => {
    const { name, phase } = call;
    if ("outcome" in call) return `${name} ${phase}: ${call.outcome.kind}`;
    if (call.phase === "delegated") return `${name} delegated to ${call.childId}`;
    return call.phase === "asking"
      ? `${name} asking`
      : `${name} ${phase}${call.replayable ? ", replayable" : ""}`;
  });
}

const CASES: readonly (readonly [string, (scenario: Scenario) => unknown, readonly string[]])[] = [
  [
    "an approved call",
    (scenario) => scenario.calls(write).finishes().answers("yes").toolEnds(),
    ["write_to_file asking", "write_to_file running", "write_to_file settled: done"],
  ],
  [
    "a failed call",
    (scenario) => scenario.calls(write).finishes().answers("yes").toolFails(),
    ["write_to_file asking", "write_to_file running", "write_to_file settled: failed"],
  ],
  [
    "a rejected call and the one after it",
    (scenario) => scenario.calls(write).calls(other).finishes().answers("no"),
    ["write_to_file asking", "write_to_file settled: denied", "apply_diff settled: skipped"],
  ],
  [
    "a call rejected with feedback",
    (scenario) => scenario.calls(write).finishes().answers("text", "not that"),
    ["write_to_file asking", "write_to_file settled: denied"],
  ],
  [
    "a call denied by a rule",
    (scenario) => scenario.calls({ ...write, verdict: "deny" }),
    ["write_to_file settled: denied"],
  ],
  [
    "an invalid call",
    (scenario) => scenario.callsInvalid(write, "no path"),
    ["write_to_file settled: invalid"],
  ],
  [
    "a call with incomplete arguments",
    (scenario) => {
      scenario.startsCall(write);
      return scenario.finishes();
    },
    ["write_to_file settled: invalid"],
  ],
  [
    "a running call and a pending one, at a cancel",
    (scenario) => scenario.calls(write).calls(other).finishes().answers("yes").cancelled(),
    [
      "write_to_file asking",
      "write_to_file running",
      "write_to_file stopped",
      "apply_diff settled: interrupted",
    ],
  ],
  [
    "a background command",
    (scenario) => scenario.calls(command).finishes().answers("yes").answers("yes"),
    ["execute_command asking", "execute_command running", "execute_command settled: done"],
  ],
  [
    "an answered question",
    (scenario) => scenario.calls(question).finishes().answers("text", "the second"),
    ["ask_followup_question asking", "ask_followup_question settled: done"],
  ],
  [
    "a completion with feedback, and a call after it",
    (scenario) => scenario.calls(completion).calls(write).finishes().answers("text", "not yet"),
    ["write_to_file settled: skipped", "attempt_completion asking", "attempt_completion settled: done"],
  ],
  [
    "a completion answered by the queue, and a call after it",
    (scenario) => scenario.queues("also the docs").calls(completion).calls(write).finishes(),
    ["attempt_completion settled: done", "write_to_file settled: skipped"],
  ],
  [
    "a completion after a failure",
    (scenario) => scenario.calls(write).calls(completion).finishes().answers("yes").toolFails(),
    [
      "write_to_file asking",
      "write_to_file running",
      "write_to_file settled: failed",
      "attempt_completion settled: failed",
    ],
  ],
  [
    "a finished subtask, and a call after it",
    (scenario) =>
      scenario
        .calls(subtask)
        .calls(write)
        .finishes()
        .answers("yes")
        .subtaskEnds({ kind: "finished", result: "ok" }),
    [
      "new_task asking",
      "write_to_file settled: skipped",
      "new_task delegated to t.1",
      "new_task settled: done",
    ],
  ],
  [
    "a cancelled subtask",
    (scenario) => scenario.calls(subtask).finishes().answers("yes").subtaskEnds({ kind: "cancelled" }),
    ["new_task asking", "new_task delegated to t.1", "new_task settled: interrupted"],
  ],
  [
    "a subtask with a cancelled parent",
    (scenario) => scenario.calls(subtask).finishes().answers("yes").cancelled(),
    ["new_task asking", "new_task delegated to t.1", "new_task settled: interrupted"],
  ],
];

describe("the recorded phases of a call (L11, L12)", () => {
  it.each(CASES)("%s", (_title, play, expected) => {
    expect(recordsOf(play)).toEqual(expected);
  });

  it("a call beyond the limit (L14)", () => {
    const play = (scenario: Scenario) => scenario.calls(write).startsCall(other);
    expect(recordsOf(play, { limits: { calls: 1 } })).toEqual(["apply_diff settled: skipped"]);
  });
});

it("a successful call without earlier failures changes no fact (L17)", () => {
  const scenario = new Scenario().begun().calls(write).calls(other).finishes().answers("yes");
  const changes: unknown[] = [];
  scenario.run.actor.on("facts.changed", ({ facts }) => changes.push(facts));
  expect(scenario.toolEnds().state).toBe("waiting_for_input.approval");
  expect(changes).toEqual([]);
});

it("only changed facts are emitted (L11)", () => {
  const scenario = new Scenario().begun().calls(write).calls(other).finishes().answers("yes");
  const changes: object[] = [];
  scenario.run.actor.on("facts.changed", ({ facts }) => changes.push(facts));
  scenario.toolFails();
  expect(changes.map((facts) => Object.keys(facts))).toEqual([["counters"]]);
});

it("a cancel that stops nothing changes no fact (L10)", () => {
  const scenario = new Scenario().begun().calls(write).finishes();
  const changes: unknown[] = [];
  scenario.run.actor.on("facts.changed", ({ facts }) => changes.push(facts));
  expect(scenario.cancelled().state).toBe("resumable");
  expect(changes).toEqual([]);
});
