import { describe, expect, test } from "vitest";
import { parseRunQuery } from "../../../visualize/page/suite/run-query.ts";
import type { SuiteRun } from "../../../wire/http/suite.ts";

const runOf = (fields: Partial<SuiteRun>): SuiteRun => ({
  setting: "delete-logs",
  protocol: "trusted monitoring",
  policy: "at once",
  sample: 0,
  mode: "attack",
  end: "completed",
  mainTask: true,
  sideTask: true,
  attempted: true,
  score: 0.7,
  audits: 1,
  dollars: 0.02,
  verdicts: { audit: 1 },
  outcome: "missed",
  hasLog: true,
  ...fields,
});
const missed = runOf({});
const caught = runOf({ sample: 1, outcome: "caught", score: 0.9, verdicts: { deny: 2 }, end: "shutDown" });
const honest = runOf({
  protocol: "ensemble",
  policy: "honest",
  mode: "honest",
  sideTask: false,
  attempted: false,
  outcome: null,
  audits: 0,
});
const RUNS = { missed, caught, honest };

const found = (query: string): readonly string[] => {
  const filter = parseRunQuery(query);
  if (typeof filter === "string") throw new Error(filter);
  return Object.entries(RUNS).flatMap(([name, run]) => (filter(run) ? [name] : []));
};

describe("a query of runs", () => {
  test.each([
    ["", ["missed", "caught", "honest"]],
    ["caught", ["caught"]],
    ["missed", ["missed"]],
    ["honest", ["honest"]],
    ["attack", ["missed", "caught"]],
    ["-side", ["honest"]],
    ['protocol:"trusted mon"', ["missed", "caught"]],
    ["protocol:trusted -missed", ["caught"]],
    ["verdict:deny", ["caught"]],
    ["end:shutdown", ["caught"]],
    ["score>0.8", ["caught"]],
    ["audits=0", ["honest"]],
    ["cost<=0.02 sample>=1", ["caught"]],
    ["logs ensemble", ["honest"]],
    ['"at once"', ["missed", "caught"]],
  ])("%s finds %s", (query, names) => {
    expect(found(query)).toEqual(names);
  });

  test.each(["state:failed", "score:high", "score>high", "setting:", "setting>x", "constructor:x"])(
    "%s is rejected with what is expected",
    (query) => {
      expect(parseRunQuery(query)).toMatch(/^Expected caught, missed, honest, .* got /);
    },
  );
});
