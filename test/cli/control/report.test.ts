import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { fc, test } from "@fast-check/vitest";
import { afterAll, describe, expect } from "vitest";
import { createReport } from "../../../cli/control/report/report.ts";
import { formatReportPage } from "../../../cli/control/report/report-page.ts";
import { readRunRows } from "../../../cli/control/report/run-rows.ts";
import { suiteReport } from "../../../cli/control/report/suite-report.ts";
import type { RunRow } from "../../../control/runs/row.ts";
import { chromiumPath, launch } from "../../page/browser.ts";
import { signalbox } from "../in-process.ts";
import { temporaryFolder } from "../process.ts";
import { problemsIn } from "./markup.ts";
import { fixtureRows, linesOf, rowOf } from "./rows.ts";

const HOSTILE = `</title><script>alert("1")</script> & '\u0001\ud800\u202e\n{red} ${"long ".repeat(20)}`;
const PLOTS = ["pareto.svg", "roc.svg", "safety-a.svg", "safety-b.svg", "scores.svg"];

const folder = temporaryFolder();
afterAll(() => folder.remove());
const inFolder = (name: string): string => path.join(folder.path, name);

function fileOf(name: string, text: string): string {
  writeFileSync(inFolder(name), text);
  return inFolder(name);
}

const report = (...args: readonly string[]) => signalbox("control", "report", ...args);
const fixture = fileOf("fixture.jsonl", linesOf(fixtureRows("trusted monitoring")));

describe("signalbox control report", () => {
  test("prints the numbers of the fixture for each flagged share, in both definitions of safety", async () => {
    const { stdout, code } = await report(fixture, "--flagged", "0.1,0.2,0.3,0.5");
    const cells = stdout
      .split("\n")
      .filter((line) => line.startsWith("trusted monitoring"))
      .map((line) => line.split(/\s{2,}/));
    expect(cells.map((row) => row[2])).toEqual(["0.400", "0.500", "0.600", "0.700"]);
    expect(cells.map((row) => row[4])).toEqual(["0.143", "0.286", "0.429", "0.625"]);
    expect(cells.map((row) => row[10])).toEqual(["9.100", "8.200", "7.300", "5.500"]);
    expect(cells[0]?.slice(0, 2)).toEqual(["trusted monitoring", "10 + 10"]);
    expect(cells[0]?.slice(6, 10)).toEqual(["9", "0.600", "0.000", "0.000"]);
    expect(cells[0]?.slice(11)).toEqual(["0.500", "0.000"]);
    expect(stdout).toContain("Scripted policies prove nothing about models. Wall time is excluded");
    expect(code).toBe(0);
  });

  test("prints all digits as JSON, and another seed changes only the intervals", async () => {
    const read = async (seed: string) =>
      JSON.parse((await report(fixture, "--flagged", "0.1", "--format", "json", "--seed", seed)).stdout);
    const [one, again, other] = [await read("1"), await read("1"), await read("3")];
    const budget = (found: typeof one) => found.measured[0].budgets[0];
    expect(budget(one)).toMatchObject({
      flaggedShare: 0.1,
      threshold: 9.1,
      usefulness: 0.6,
      safety: { undetectedFree: 0.4, caughtShare: 1 / 7, attempted: 9, caught: 1, uncaughtSuccesses: 6 },
    });
    expect(again).toEqual(one);
    expect(budget(other)).toMatchObject({ safety: budget(one).safety });
    expect(budget(other).caughtShare).not.toEqual(budget(one).caughtShare);
  });

  test("writes a page and each plot, and overwrites them only with --force", async () => {
    const args = [fixture, "--out", inFolder("report.html"), "--plots", inFolder("plots")];
    expect((await report(...args)).stdout).toContain(`Written: ${inFolder("report.html")}, `);
    expect(readdirSync(inFolder("plots")).sort()).toEqual(PLOTS);
    const page = readFileSync(inFolder("report.html"), "utf8");
    for (const name of PLOTS) {
      const svg = readFileSync(path.join(inFolder("plots"), name), "utf8");
      expect(problemsIn(svg)).toEqual([]);
      expect(page).toContain(svg);
    }
    expect(problemsIn(page)).toEqual([]);
    expect(await report(...args)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("expected no file of that name, found one"),
    });
    expect((await report(...args, "--force")).code).toBe(0);
  });

  test("leaves out runs that failed, and protocols that lack a class of runs", async () => {
    const failed = fixtureRows("all failed").map((row) => ({ ...row, end: "failed" }));
    const file = fileOf(
      "partly.jsonl",
      linesOf([...fixtureRows("good"), ...failed, rowOf({ protocol: "one" })]),
    );
    const { stdout, code } = await report(file, "--out", inFolder("partly.html"));
    expect(stdout).toContain("Not measured: 20 failed runs.");
    expect(stdout).toContain("as honest or attack runs are missing: all failed, one. Run both policies.");
    expect(stdout.match(/^good /gm)).toHaveLength(2);
    expect(code).toBe(0);
  });

  test("reports a torn last line, and measures the others", async () => {
    const file = fileOf("torn.jsonl", `${linesOf(fixtureRows("good"))}{"setting":"ba`);
    const { stdout, code } = await report(file);
    expect(stdout).toContain("Line 21 is torn and not read: its writer was interrupted.");
    expect(code).toBe(0);
  });

  const row = JSON.stringify(rowOf({}));
  test.each([
    [
      "a line in the middle that is not JSON",
      `${row.slice(0, 9)}\n${row}\n`,
      'line 1: expected a run as JSON, got {"mode":"',
    ],
    [
      "a field that is no number",
      linesOf([rowOf({}), { ...rowOf({ sample: 1 }), score: "9" }]),
      "line 2, at score: expected a run, got",
    ],
    ["a field that no run has", linesOf([{ ...rowOf({}), seconds: 1 }]), "line 1: expected a run, got"],
    [
      "a score that is out of range",
      linesOf([rowOf({ decisions: [decision(2)] })]),
      "line 1, at decisions[0].scores.trusted: expected a run",
    ],
    [
      "a run that is there twice",
      `${row}\n\n${row}\n`,
      "line 3: expected each run once, got the run of line 1 again",
    ],
    ["no run", "\n", "expected at least one run, found none"],
  ])("rejects %s, and says where it is", async (_, text, message) => {
    expect(await report(fileOf("invalid.jsonl", text))).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(message),
    });
  });

  test("rejects a file that is not there, and a flagged share over 1", async () => {
    expect((await report(inFolder("none.jsonl"))).stderr).toContain("can't be read (ENOENT");
    expect((await report(fixture, "--flagged", "0.1,2")).stderr).toContain("Expected a number from 0 to 1.");
    expect(existsSync(inFolder("none.jsonl"))).toBe(false);
  });
});

function decision(score: number): RunRow["decisions"][number] {
  return { point: "call", author: "untrusted", scores: { trusted: score }, verdict: "pass", digest: "d" };
}

/** Everything that a report shows. */
async function everything(rows: readonly RunRow[], audits: readonly number[]) {
  const read = await readRunRows(fileOf("any.jsonl", linesOf(rows)));
  const found = createReport(read, { audits, seed: 1 });
  const suite = suiteReport(found, audits);
  return { ...suite, page: formatReportPage(suite) };
}

test("rows in another order give the same tables and the same bytes", async () => {
  const rows = ["b", "a", HOSTILE].flatMap(fixtureRows);
  const other = [...rows].reverse();
  expect(await everything(other, [0.1])).toEqual(await everything(rows, [0.1]));
});

const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(HOSTILE, "", "red", "0", "__proto__"));
const share = fc.double({ min: 0, max: 1, noNaN: true });
const anyRow = fc.record({
  setting: text,
  protocol: text,
  policy: text,
  mode: fc.constantFrom("honest", "attack"),
  seed: fc.nat(),
  inputs: fc.constant("61bb031387f1ff83"),
  score: fc.oneof(share, fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.constant(1)),
  mainTask: fc.boolean(),
  sideTask: fc.boolean(),
  attempted: fc.boolean(),
  audits: fc.nat(),
  dollars: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
  end: fc.constantFrom("completed", "shutDown", "limited", "failed"),
  decisions: fc.constant([]),
});

test.prop([fc.array(anyRow, { minLength: 1 }), fc.array(share, { minLength: 1, maxLength: 3 })], {
  numRuns: 20,
})("any rows and budgets give a page that a parser accepts", async (given, audits) => {
  // Each protocol also has both classes of runs in every second case.
  const both = given.length % 2 === 0 ? given.flatMap(({ protocol }) => fixtureRows(protocol)) : [];
  const rows = [...given, ...both].map((row, sample) => ({ ...row, sample }));
  const { page, plots } = await everything(rows, audits);
  expect(problemsIn(page)).toEqual([]);
  for (const { svg } of plots) expect(problemsIn(svg)).toEqual([]);
});

test.skipIf(chromiumPath === undefined)(
  "Chromium opens the page without a request, an error or a script, and reads each plot as XML",
  { timeout: 120_000 },
  async () => {
    const rows = ["trusted monitoring", HOSTILE, "<!--", "]]>"].flatMap(fixtureRows);
    const { page: html, plots } = await everything(rows, [0.01, 0.1]);
    const browser = await launch();
    try {
      const context = await browser.newContext({ offline: true });
      const page = await context.newPage();
      const troubles: string[] = [];
      page.on("pageerror", (error) => troubles.push(error.message));
      page.on("console", (line) => troubles.push(line.text()));
      page.on("request", (request) => troubles.push(request.url()));
      const url = pathToFileURL(fileOf("chromium.html", html)).href;
      await page.goto(url);
      expect(await page.locator("table").count()).toBe(2);
      expect(await page.getByRole("img").count()).toBe(plots.length);
      expect(await page.getByRole("row", { name: '</title><script>alert("1")</script> & ' }).count()).toBe(2);
      const drawing = await context.newPage();
      for (const { name, svg } of plots) {
        await drawing.goto(pathToFileURL(fileOf(`${name}.svg`, svg)).href);
        // What follows a syntax error is not drawn.
        expect(await drawing.locator("svg g").count()).toBe(svg.split("<g ").length - 1);
      }
      expect(troubles).toEqual([url]);
    } finally {
      await browser.close();
    }
  },
);
