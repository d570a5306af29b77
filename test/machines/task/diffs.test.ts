import { describe, expect, it } from "vitest";
import { toolError, writeWholeFile } from "../../../machines/conversation/notices.ts";
import type { TaskLimits } from "../../../machines/task/limits.ts";
import { type CallSpec, Scenario } from "../../support/scenario.ts";

const task = (limits: Partial<TaskLimits> = {}): Scenario =>
  new Scenario({ limits: { mistakes: 0, repetitions: 0, diffFailures: 3, ...limits } }).begun();
const diffOf = (patches: string): CallSpec => ({ name: "apply_diff", verdict: "allow", patches });

const prepared = (scenario: Scenario): Scenario =>
  scenario.state === "streaming.preparing" ? scenario.prepared() : scenario;
/** A diff that its review finds not to fit. */
const rejects = (scenario: Scenario, file: string, error = "no match"): Scenario =>
  prepared(scenario).callsInvalid(diffOf(file), error).finishes();
/** A diff that no longer fits when it runs. */
const fails = (scenario: Scenario, file: string, error = "no match"): Scenario =>
  prepared(scenario).calls(diffOf(file)).finishes().toolFails(error);
const applies = (scenario: Scenario, file: string): Scenario =>
  prepared(scenario).calls(diffOf(file)).finishes().toolEnds();

const shown = ({ run }: Scenario): unknown[] =>
  run.view.context.log
    .toArray()
    .flatMap(({ say, text }) => (say === "diff_error" || say === "error" ? [[say, text]] : []));
const advised = (scenario: Scenario): number =>
  shown(scenario).filter((one) => String(one).includes("write_to_file")).length;
/** The texts of the results in the newest entry. */
const results = ({ run }: Scenario): unknown[] =>
  (run.view.context.conversation.at(-1)?.content ?? []).flatMap((block) =>
    block.type === "tool_result" ? block.content : [],
  );

describe("a diff that can't be applied", () => {
  it.each([
    ["found by its review", rejects],
    ["found when it runs", fails],
  ])("%s, is shown as diff_error, and the model gets the error", (_, end) => {
    const scenario = end(task(), "a.txt");
    expect(shown(scenario)).toEqual([["diff_error", "no match"]]);
    expect(
      scenario.run.view.context.log.toArray().findLast(({ say }) => say === "diff_error"),
    ).toHaveProperty("callId");
    expect(results(scenario.prepared())).toEqual([{ type: "text", text: toolError("no match") }]);
    expect(scenario.run.violations).toEqual([]);
  });

  it.each([
    ["reviews", rejects],
    ["runs", fails],
  ])("counts as an error of the model (%s)", (_, end) => {
    expect(end(task(), "a.txt").run.view.context.counters.mistakes).toBe(1);
  });

  it.each([
    ["invalid", rejects],
    ["failed", fails],
  ])("is a call that is %s", (kind, end) => {
    const { turn } = end(task(), "a.txt").run.view.context;
    expect(turn.calls).toMatchObject([{ phase: "settled", outcome: { kind } }]);
  });

  it("is a failure like any other where the call changes no file by a diff", () => {
    const write = { name: "write_to_file", verdict: "allow" } as const;
    const scenario = task()
      .callsInvalid(write, "no")
      .finishes()
      .prepared()
      .calls(write)
      .finishes()
      .toolFails();
    expect(shown(scenario)).toEqual([
      ["error", "no"],
      ["error", "no such file"],
    ]);
    expect(scenario.run.view.context.failedDiffs).toEqual([]);
  });
});

describe("consecutive failures of diffs on one file (L14)", () => {
  it.each([
    ["reviews", rejects],
    ["runs", fails],
  ])("get the advice to write the whole file at the limit, and not before (%s)", (_, end) => {
    const scenario = end(end(task(), "a.txt"), "a.txt");
    expect(advised(scenario)).toBe(0);
    expect(scenario.run.view.context.failedDiffs).toEqual([{ file: "a.txt", times: 2 }]);
    end(scenario, "a.txt");
    const text = `no match\n${writeWholeFile("a.txt", 3)}`;
    expect(shown(scenario).at(-1)).toEqual(["diff_error", text]);
    expect(results(scenario.prepared())).toEqual([{ type: "text", text: toolError(text) }]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("are counted from the start after the advice", () => {
    const scenario = task({ diffFailures: 2 });
    for (let nth = 0; nth < 5; nth += 1) fails(scenario, "a.txt");
    expect(advised(scenario)).toBe(2);
    expect(scenario.run.view.context.failedDiffs).toEqual([{ file: "a.txt", times: 1 }]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("are counted for each file", () => {
    const scenario = task({ diffFailures: 2 });
    fails(rejects(scenario, "a.txt"), "b.txt");
    expect(advised(scenario)).toBe(0);
    expect(advised(fails(scenario, "a.txt"))).toBe(1);
    expect(scenario.run.view.context.failedDiffs).toEqual([{ file: "b.txt", times: 1 }]);
  });

  it("end with a diff that is applied to the file, and with no other", () => {
    const scenario = task({ diffFailures: 2 });
    applies(fails(fails(scenario, "a.txt"), "b.txt"), "a.txt");
    expect(scenario.run.view.context.failedDiffs).toEqual([{ file: "b.txt", times: 1 }]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("are counted for at most diffFiles files: the oldest is dropped", () => {
    const scenario = task({ diffFiles: 2 });
    for (const file of ["a", "b", "a", "c"]) fails(scenario, file);
    expect(scenario.run.view.context.failedDiffs).toEqual([
      { file: "a", times: 2 },
      { file: "c", times: 1 },
    ]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("are counted for no file with the limit diffFiles 0", () => {
    expect(fails(task({ diffFiles: 0 }), "a").run.view.context.failedDiffs).toEqual([]);
  });

  it("have no limit with 0, and get the advice each time with 1", () => {
    const unlimited = task({ diffFailures: 0 });
    for (let nth = 0; nth < 4; nth += 1) fails(unlimited, "a.txt");
    expect([advised(unlimited), unlimited.run.view.context.failedDiffs]).toEqual([0, []]);
    expect(advised(fails(fails(task({ diffFailures: 1 }), "a.txt"), "a.txt"))).toBe(2);
  });

  it("are counted on after a crash (L11)", () => {
    const scenario = fails(fails(task(), "a.txt"), "a.txt").prepared().crashes().answers("yes");
    expect(advised(fails(scenario, "a.txt"))).toBe(1);
    expect(scenario.run.violations).toEqual([]);
  });

  it("record no fact where a diff is applied that had not failed", () => {
    const scenario = task();
    const before = scenario.run.view.context.failedDiffs;
    expect(applies(scenario, "a.txt").run.view.context.failedDiffs).toBe(before);
  });
});
