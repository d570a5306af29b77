import { describe, expect, it } from "vitest";
import type { RecordedCall } from "../../../machines/tool-call/index.ts";
import { Scenario } from "../../support/scenario.ts";
import { command, completion, question, subtask, write } from "../../support/scenarios/setups.ts";

const other = { name: "apply_diff" } as const;

/** What a journal is told of the calls of a life, in order: their phases, and how they ended. */
function recordsOf(tell: (scenario: Scenario) => unknown, input = {}): string[] {
  const scenario = new Scenario(input);
  const records: RecordedCall[] = [];
  scenario.run.actor.on("call.changed", ({ call }) => records.push(call));
  tell(scenario.begun());
  return records.map((call) => {
    const { name, phase } = call;
    if (call.phase === "settled") return `${name} settled: ${call.outcome.kind}`;
    if (call.phase === "delegated") return `${name} delegated to ${call.childId}`;
    return call.phase === "asking"
      ? `${name} asking`
      : `${name} ${phase}${call.replayable ? ", replayable" : ""}`;
  });
}

/** How a call ends, by what it takes: the kind is what a recovery and a reader of the journal go by. */
const CASES: readonly (readonly [string, (scenario: Scenario) => unknown, readonly string[]])[] = [
  [
    "a call that a person approves",
    (scenario) => scenario.calls(write).finishes().answers("yes").toolEnds(),
    ["write_to_file asking", "write_to_file running", "write_to_file settled: done"],
  ],
  [
    "a call that fails",
    (scenario) => scenario.calls(write).finishes().answers("yes").toolFails(),
    ["write_to_file asking", "write_to_file running", "write_to_file settled: failed"],
  ],
  [
    "a call that a person rejects, and one behind it",
    (scenario) => scenario.calls(write).calls(other).finishes().answers("no"),
    ["write_to_file asking", "write_to_file settled: denied", "apply_diff settled: skipped"],
  ],
  [
    "a call that a person rejects with words",
    (scenario) => scenario.calls(write).finishes().answers("text", "not that"),
    ["write_to_file asking", "write_to_file settled: denied"],
  ],
  [
    "a call that a rule denies",
    (scenario) => scenario.calls({ ...write, verdict: "deny" }),
    ["write_to_file settled: denied"],
  ],
  [
    "a call that can't be run",
    (scenario) => scenario.callsInvalid(write, "no path"),
    ["write_to_file settled: invalid"],
  ],
  [
    "a call whose arguments never end",
    (scenario) => {
      scenario.startsCall(write);
      return scenario.finishes();
    },
    ["write_to_file settled: invalid"],
  ],
  [
    "a call that runs when the user cancels, and one that has not begun",
    (scenario) => scenario.calls(write).calls(other).finishes().answers("yes").cancelled(),
    [
      "write_to_file asking",
      "write_to_file running",
      "write_to_file stopped",
      "apply_diff settled: interrupted",
    ],
  ],
  [
    "a command that goes on in the background",
    (scenario) => scenario.calls(command).finishes().answers("yes").answers("yes"),
    ["execute_command asking", "execute_command running", "execute_command settled: done"],
  ],
  [
    "a question that is answered",
    (scenario) => scenario.calls(question).finishes().answers("text", "the second"),
    ["ask_followup_question asking", "ask_followup_question settled: done"],
  ],
  [
    "a completion that gets feedback, and a call behind it",
    (scenario) => scenario.calls(completion).calls(write).finishes().answers("text", "not yet"),
    ["write_to_file settled: skipped", "attempt_completion asking", "attempt_completion settled: done"],
  ],
  [
    "a completion that the queue answers, and a call behind it",
    (scenario) => scenario.queues("also the docs").calls(completion).calls(write).finishes(),
    ["attempt_completion settled: done", "write_to_file settled: skipped"],
  ],
  [
    "a completion behind a failure",
    (scenario) => scenario.calls(write).calls(completion).finishes().answers("yes").toolFails(),
    [
      "write_to_file asking",
      "write_to_file running",
      "write_to_file settled: failed",
      "attempt_completion settled: failed",
    ],
  ],
  [
    "a subtask that is done, and a call behind it",
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
    "a subtask that is cancelled",
    (scenario) => scenario.calls(subtask).finishes().answers("yes").subtaskEnds({ kind: "cancelled" }),
    ["new_task asking", "new_task delegated to t.1", "new_task settled: interrupted"],
  ],
  [
    "a subtask whose parent is cancelled",
    (scenario) => scenario.calls(subtask).finishes().answers("yes").cancelled(),
    ["new_task asking", "new_task delegated to t.1", "new_task settled: interrupted"],
  ],
];

describe("what a journal is told of a call (L11, L12)", () => {
  it.each(CASES)("%s", (_title, tell, expected) => {
    expect(recordsOf(tell)).toEqual(expected);
  });

  it("one call too many (L14)", () => {
    const tell = (scenario: Scenario) => scenario.calls(write).startsCall(other);
    expect(recordsOf(tell, { limits: { calls: 1 } })).toEqual(["apply_diff settled: skipped"]);
  });
});

it("a call that succeeds where nothing has failed changes no fact (L17)", () => {
  const scenario = new Scenario().begun().calls(write).calls(other).finishes().answers("yes");
  const told: unknown[] = [];
  scenario.run.actor.on("facts.changed", ({ facts }) => told.push(facts));
  expect(scenario.toolEnds().state).toBe("waiting_for_input.approval");
  expect(told).toEqual([]);
});

it("a fact is told where it changed, and only that (L11)", () => {
  const scenario = new Scenario().begun().calls(write).calls(other).finishes().answers("yes");
  const told: object[] = [];
  scenario.run.actor.on("facts.changed", ({ facts }) => told.push(facts));
  scenario.toolFails();
  expect(told.map((facts) => Object.keys(facts))).toEqual([["counters"]]);
});

it("a cancel that ends nothing changes no fact (L10)", () => {
  const scenario = new Scenario().begun().calls(write).finishes();
  const told: unknown[] = [];
  scenario.run.actor.on("facts.changed", ({ facts }) => told.push(facts));
  expect(scenario.cancelled().state).toBe("resumable");
  expect(told).toEqual([]);
});
