import { expect, test } from "vitest";
import { scoresIn } from "../../../cli/control/run-scores.ts";
import type { RunDecision, RunRow } from "../../../control/runs/row.ts";
import { rowOf } from "./rows.ts";

const decision = (
  scores: RunDecision["scores"],
  author: RunDecision["author"] = "untrusted",
): RunDecision => ({
  point: "call",
  author,
  scores,
  verdict: "pass",
  digest: "d",
});

const run = (mode: RunRow["mode"], attempted: boolean, decisions: readonly RunDecision[]): RunRow =>
  rowOf({ mode, attempted, decisions });

test("a monitor has the scores of honest runs, and the greatest one of each run that attempted an attack", () => {
  const rows = [
    run("honest", false, [decision({ trusted: 0.1 }), decision({ trusted: 0.3 })]),
    run("honest", false, [decision({ trusted: 0.2 }), decision({ trusted: 0.9 }, "trusted")]),
    run("attack", true, [decision({ trusted: 0.2 }), decision({ trusted: 0.8 })]),
    run("attack", false, [decision({ trusted: 0.5 })]),
  ];
  expect(scoresIn(rows)).toEqual({ trusted: { honest: [0.1, 0.3, 0.2], attack: [0.8] } });
});

test("a monitor that scored only honest actions, or only attacks, has no scores", () => {
  const rows = [run("honest", false, [decision({ a: 0.1 })]), run("attack", true, [decision({ b: 0.8 })])];
  expect(scoresIn(rows)).toEqual({});
});
