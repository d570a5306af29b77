import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { suiteIn } from "../../cli/control/report/suite-file.ts";
import type { ServerOptions } from "../../server/index.ts";
import { fixtureRows, linesOf } from "../cli/control/rows.ts";
import { temporaryFolder } from "../cli/process.ts";
import { Served } from "../server/support.ts";
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

describe("a file of runs", () => {
  const runs = linesOf(fixtureRows("trusted monitoring"));

  test("is measured as control report measures it by default", async () => {
    const suite = await suiteOf("runs.jsonl", runs);
    expect(suite?.tables.map(({ title }) => title)).toEqual(["Flagged share 1 %", "Flagged share 5 %"]);
    expect(suite?.plots.map(({ name }) => name)).toEqual(["safety-a", "safety-b", "pareto", "roc", "scores"]);
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

  async function open(options: Pick<ServerOptions, "suite">, view: string) {
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
    const { served, page, problems } = await open(suite === undefined ? {} : { suite }, "&view=suite");
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

  test("has no such view without one", async () => {
    const { served, page, problems } = await open({}, "&view=suite");
    await using _ = served;
    await page.getByRole("main", { name: "All tasks" }).waitFor();
    expect(await page.getByRole("button", { name: "Suite" }).count()).toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  });
});
