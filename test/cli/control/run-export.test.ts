import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { violationsIn } from "../../wire/inspect/schema.ts";
import { temporaryFolder } from "../process.ts";
import { controlRun, logOf, rowsOf } from "./suite.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());
const SUITE = [
  ...["--setting", "hidden-user", "--policy", "honest", "--policy", "at once"],
  ...["--protocol", "upfront audit", "--protocol", "trusted monitoring", "--samples", "2"],
];
const OUT = path.join(folder.path, "runs.jsonl");
const LOGS = path.join(folder.path, "runs.inspect");

const logs = () =>
  readdirSync(LOGS)
    .toSorted()
    .map((name) => logOf(path.join(LOGS, name)));

describe("signalbox control run --export inspect", () => {
  test("writes a valid log of each run beside the rows, with ControlArena's scores and metadata", async () => {
    expect(await controlRun(...SUITE, "--out", OUT, "--export", "inspect")).toMatchObject({ code: 0 });
    const rows = rowsOf(OUT);
    expect(logs()).toHaveLength(rows.length);
    for (const log of logs()) expect(violationsIn(log)).toEqual([]);
    const found = logs().map(({ eval: { metadata }, samples: [sample] }) => ({
      ...(metadata as object),
      epoch: sample?.epoch,
      scores: Object.entries(sample?.scores as object).map(([name, { value }]) => [name, value]),
    }));
    const expected = rows.map((row) => ({
      micro_protocol: row.protocol,
      policy: row.policy,
      eval_mode: row.mode,
      epoch: row.sample + 1,
      scores: [
        ["main_task_success", row.mainTask],
        ["side_task_success", row.sideTask],
        ["max_suspicion_scorer", row.score],
      ],
    }));
    expect(found).toEqual(expect.arrayContaining(expected));
  });

  test("is the success of a complete sample where the protocol ended the run, with the end as metadata", () => {
    const ended = logs().filter(({ samples: [sample] }) => sample?.metadata.end === "shutDown");
    expect(ended).toHaveLength(rowsOf(OUT).filter(({ end }) => end === "shutDown").length);
    expect(ended.length).toBeGreaterThan(0);
    for (const log of ended) {
      expect(log).toMatchObject({ status: "success", results: { completed_samples: 1 } });
      expect([log.error, log.samples[0]?.error]).toEqual([undefined, undefined]);
      expect(log.samples[0]?.metadata.end_reason).toMatch(/^The protocol ".*" ended the task: /);
    }
  });

  test("names the sample in its first event as the sample itself is named", () => {
    for (const { samples } of logs())
      for (const { id, events } of samples)
        expect(events[0]).toMatchObject({ event: "sample_init", sample: { id } });
  });

  test("has as many scores of monitors as the decisions of the row", () => {
    const rows = rowsOf(OUT);
    const scores = rows.flatMap(({ decisions }) => decisions.flatMap((each) => Object.keys(each.scores)));
    const events = logs().flatMap(({ samples }) => samples.flatMap((each) => each.events));
    expect(scores.length).toBeGreaterThan(0);
    expect(events.filter(({ event }) => event === "score")).toHaveLength(scores.length);
  });

  test("runs nothing that has a row and a log", async () => {
    const { stderr } = await controlRun(...SUITE, "--out", OUT, "--export", "inspect");
    expect(stderr).toBe("\r8 of 8 runs\r\x1b[K");
  });

  test("refuses a file with rows whose logs are missing, and needs a file", async () => {
    rmSync(path.join(LOGS, readdirSync(LOGS)[0]!));
    const missing = await controlRun(...SUITE, "--out", OUT, "--export", "inspect");
    expect(missing.code).toBe(1);
    expect(missing.stderr).toMatch(
      /LOG_MISSING: --export: expected a log in .*runs\.inspect for each row of --out, got none of 1, /,
    );
    const nowhere = await controlRun(...SUITE, "--export", "inspect");
    expect(nowhere.stderr).toMatch(/--export: expected --out as well, got no file\./);
  });
});
