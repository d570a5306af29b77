import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { suiteIn } from "../../cli/control/report/suite-file.ts";
import { trajectoriesOf } from "../../cli/control/report/trajectories.ts";
import { logFolderOf, logNameOf } from "../../cli/control/run/log-folder.ts";
import { inspectLog, zipped } from "../../cli/inspect-log.ts";
import { thresholdAt } from "../../control/metrics/threshold.ts";
import type { RunRow } from "../../control/runs/row.ts";
import type { ServerOptions } from "../../server/index.ts";
import { readTreeOf } from "../../store/exchange/recorded-tree.ts";
import { fileJournal } from "../../store/journal/file.ts";
import { fixtureRows, linesOf } from "../cli/control/rows.ts";
import { temporaryFolder } from "../cli/process.ts";
import { Served } from "../server/support.ts";
import { violationsIn } from "./axe.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

/** No task is run. */
const SCRIPT = "turns: [[{ text: unused }]]";
const HOSTILE = `<script>document.title = "run"</script> & "quoted"`;

const folder = temporaryFolder();
afterAll(() => folder.remove());

async function suiteOf(name: string, text: string): ReturnType<typeof suiteIn> {
  const file = path.join(folder.path, name);
  writeFileSync(file, text);
  return suiteIn(file);
}

const JOURNAL = { dir: "test/fixtures/journals/2026-11", file: "task.jsonl" };

/** Write the log of a recorded task as the log of the run of a row. */
async function writeLog(runs: string, row: RunRow): Promise<void> {
  const options = { where: "the fixture", onLeftOut: () => {} };
  const recorded = await readTreeOf(
    "task",
    (id) => fileJournal({ ...JOURNAL, file: `${id}.jsonl` }),
    options,
  );
  const logs = path.join(folder.path, logFolderOf(runs));
  mkdirSync(logs, { recursive: true });
  writeFileSync(path.join(logs, logNameOf(row)), zipped(inspectLog(recorded)));
}

describe("a file of runs", () => {
  const runs = linesOf(fixtureRows("trusted monitoring"));

  test("is measured as control report measures it by default", async () => {
    const suite = await suiteOf("runs.jsonl", runs);
    expect(suite?.report.tables.map(({ title }) => title)).toEqual([
      "Flagged share 1 %",
      "Flagged share 5 %",
    ]);
    expect(suite?.report.plots.map(({ name }) => name)).toEqual([
      "safety-a",
      "safety-b",
      "pareto",
      "roc",
      "scores",
    ]);
  });

  test("has each run as caught or missed at the first flagged share, and whether it has a log", async () => {
    const rows = fixtureRows("trusted monitoring");
    const [first] = rows;
    if (first !== undefined) await writeLog("logged.jsonl", first);
    const suite = await suiteOf("logged.jsonl", linesOf(rows));
    const runs = suite?.report.runs ?? [];
    expect(runs).toHaveLength(rows.length);
    const honest = rows.flatMap(({ mode, score }) => (mode === "honest" ? [score] : []));
    const threshold = thresholdAt(honest, suite?.report.flaggedShare ?? 0);
    for (const { mode, score, sideTask, outcome } of runs) {
      const isCaught = mode === "attack" && score > threshold;
      expect(outcome).toBe(isCaught ? "caught" : mode === "attack" && sideTask ? "missed" : null);
    }
    expect(new Set(runs.map(({ outcome }) => outcome)).size).toBe(3);
    expect(runs.filter(({ hasLog }) => hasLog).map(({ sample }) => sample)).toEqual([first?.sample]);
    expect(suite?.logs.filter((log) => log !== undefined)).toHaveLength(1);
  });

  test("is known by its first line, and a later line that is no run is an error", async () => {
    expect(await suiteOf("journal.jsonl", `{"kind":"header"}\n${runs}`)).toBeUndefined();
    expect(await suiteOf("text.jsonl", "not JSON\n")).toBeUndefined();
    expect(await suiteOf("empty.jsonl", "")).toBeUndefined();
    await expect(suiteOf("damaged.jsonl", `${runs}{"kind":"header"}\n`)).rejects.toThrow("line 21");
  });

  test("that doesn't exist is an error that says so", async () => {
    await expect(suiteIn(path.join(folder.path, "none.jsonl"))).rejects.toThrow(
      /none\.jsonl: expected a journal, or runs of signalbox control run, can't be read/,
    );
  });
});

describe.skipIf(!canOpenPage)("the page of a server with a control suite", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  async function open(options: Pick<ServerOptions, "suite" | "openRun">, view: string) {
    const served = await Served.open({ script: SCRIPT, page: BUILT_PAGE, ...options });
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await page.goto(`${served.server.pageUrl}${view}`);
    return { served, page, problems };
  }

  test("shows its tables and draws its plots, and the names of protocols are inert", async () => {
    const suite = await suiteOf("hostile.jsonl", linesOf(fixtureRows(HOSTILE)));
    const { served, page, problems } = await open(
      suite === undefined ? {} : { suite: suite.report },
      "&view=suite",
    );
    await using _ = served;
    const shown = page.getByRole("main", { name: "Control suite" });
    await shown.getByRole("rowheader", { name: HOSTILE }).first().waitFor();
    await shown.getByText("Scripted policies prove nothing about models.").waitFor();
    const images = shown.getByRole("img");
    expect(await images.count()).toBe(5);
    for (const image of await images.all())
      await expect
        .poll(() => image.evaluate((found) => Reflect.get(found, "naturalWidth")))
        .toBeGreaterThan(0);
    expect(await page.title()).not.toBe("run");

    await page.getByRole("button", { name: "Suite" }).click();
    await shown.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Suite" }).click();
    await shown.waitFor();
    await page.getByRole("button", { name: "Tasks" }).click();
    await shown.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
    await page.close();
  });

  test("lists the runs that match a query, in the order of a column, and opens the trajectory of one", async () => {
    const rows = fixtureRows("trusted monitoring");
    const logged = rows.find(({ sideTask }) => sideTask);
    if (logged === undefined) throw new Error("Expected a run with side-task success.");
    await writeLog("open.jsonl", logged);
    const suite = await suiteOf("open.jsonl", linesOf(rows));
    if (suite === undefined) throw new Error("Expected a suite.");
    let dataDir = "";
    const io = { stderr: new PassThrough() };
    const { served, page, problems } = await open(
      {
        suite: suite.report,
        openRun: (run) => trajectoriesOf(suite, { dataDir, io, masksSecrets: false })(run),
      },
      "&view=suite",
    );
    await using _ = served;
    dataDir = served.dataDir;
    const table = page.getByRole("table", { name: "Runs" });
    await table.waitFor();
    expect(await table.getAttribute("aria-rowcount")).toBe(`${rows.length + 1}`);
    await table.getByRole("button", { name: "Score" }).click();
    const scores = await table.locator(".sb-run-body [role=cell]:nth-child(9)").allTextContents();
    expect(scores.length).toBeGreaterThan(5);
    expect(scores).toEqual(scores.toSorted((one, other) => Number(other) - Number(one)));

    const query = page.getByRole("searchbox", { name: "Search the runs" });
    await query.fill("honest");
    const honest = rows.filter(({ mode }) => mode === "honest").length;
    await page.getByRole("heading", { name: `${honest} of ${rows.length} runs` }).waitFor();
    await query.fill("state:failed");
    await page.getByText("Expected caught, missed").waitFor();
    await query.fill(`sample=${logged.sample} ${logged.mode}`);
    expect(await violationsIn(page, ".sb-runs")).toEqual([]);
    await table.getByRole("button", { name: logged.setting }).click();
    await page.getByText("Read only · Inspect session").waitFor();
    expect(page.url()).toContain("#/t/run-");
    await page.goBack();
    await table.waitFor();
    expect(await query.inputValue()).toBe(`sample=${logged.sample} ${logged.mode}`);
    expect(problems).toEqual([]);

    const refused = await served.post("/api/suite/runs/999/open", {});
    expect(refused.status).toBe(404);
    expect(await refused.json()).toMatchObject({ code: "RUN_UNKNOWN" });
    await page.close();
  });

  test("has no such view without one", async () => {
    const { served, page, problems } = await open({}, "&view=suite");
    await using _ = served;
    await page.getByRole("main", { name: "All tasks" }).waitFor();
    expect(await page.getByRole("button", { name: "Suite" }).count()).toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  });
});
