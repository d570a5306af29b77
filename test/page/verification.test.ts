import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FolderCounter } from "../../cli/verify/folder-counter.ts";
import { countRecorded } from "../../cli/verify/recorded-counts.ts";
import { countsOn, verificationOf } from "../../cli/verify/report-page.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { tracePage } from "../../server/page/trace-page.ts";
import type { Verification } from "../../wire/http/verification.ts";
import { Served } from "../server/support.ts";
import { verificationParts } from "../support/verification-parts.ts";
import { violationsIn } from "./axe.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const HOSTILE = `<script>document.title = "run"</script>`;
const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The verification of a small exploration, with the counts of a recorded task. */
async function verified(): Promise<Verification> {
  const recorded = await countRecorded("test/fixtures/journals/2026-11/task.jsonl", taskMachine);
  return verificationOf({ ...verificationParts(), recorded });
}

/** A task that asks whether it may write a file. */
const SCRIPT = `
turns:
  - - { tool: write_to_file, input: { path: a.txt, content: "hi\\n" } }
  - { tool: attempt_completion, input: { result: All done. } }
`;

describe.skipIf(!canOpenPage)("the page of a verification", () => {
  let browser: Browser;
  let verification: Verification;
  beforeAll(async () => {
    browser = await launch();
    verification = await verified();
  });
  afterAll(() => browser?.close());

  async function open(shown: Verification, hash = "") {
    const file = path.join(folder, "page.html");
    writeFileSync(
      file,
      await tracePage([], { title: "Verification", verification: shown, page: BUILT_PAGE }),
    );
    const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (line) => problems.push(line.text()));
    await page.goto(`${pathToFileURL(file).href}${hash}`);
    return { page, problems };
  }

  const rowsOf = (page: Page, table: RegExp) => page.getByRole("region", { name: table }).locator("tbody tr");

  test("opens at the laws, the counts of both tables and the figures, without a network", async () => {
    const { page, problems } = await open(verification);
    const shown = page.getByRole("main", { name: "Verification" });
    await shown.getByText(`No law was broken. ${verification.figures.states} states,`).waitFor();
    expect(await rowsOf(page, /^Laws$/).count()).toBe(verification.laws.length);
    const transitions = rowsOf(page, /^Transitions of the task:/);
    expect(await transitions.count()).toBe(verification.transitions.length);
    const counts = await transitions.locator("td:nth-child(2)").allTextContents();
    const missed = verification.transitions.filter(({ explored }) => explored === 0).length;
    expect(counts.lastIndexOf("not taken")).toBe(missed - 1);
    const never = await transitions.locator("td:nth-child(3)").allTextContents();
    expect(never.slice(missed).lastIndexOf("never")).toBe(
      verification.transitions.filter(
        ({ explored, recorded: { times, perhaps } = { times: 1, perhaps: 0 } }) =>
          explored > 0 && times + perhaps === 0,
      ).length - 1,
    );
    expect(await rowsOf(page, /^Transitions of a tool call:/).count()).toBe(
      verification.callTransitions.length,
    );
    expect(await violationsIn(page, ".sb-lab")).toEqual([]);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test("draws the explored states and the recorded entries on the chart, and lists the transitions of a state", async () => {
    const { page, problems } = await open(verification);
    const chart = page.getByRole("region", { name: "Chart of the counts" });
    const box = chart.locator('.sb-state[data-state="streaming"]');
    await box.waitFor();
    const streaming = Object.entries(verification.states)
      .filter(([state]) => state.startsWith("streaming"))
      .reduce((sum, [, states]) => sum + states, 0);
    expect(await box.textContent()).toContain(`${streaming} states`);
    await chart.getByRole("button", { name: "recorded tasks" }).click();
    expect(await box.textContent()).toContain(`${verification.recorded?.states.streaming} entries`);
    await box.getByRole("button").first().click();
    const transitions = rowsOf(page, /^Transitions of streaming:/);
    await transitions.first().waitFor();
    expect(await transitions.count()).toBe(
      verification.transitions.filter(({ source }) => source.split(".")[0] === "streaming").length,
    );
    await page.getByRole("button", { name: "Transitions of all states" }).click();
    await rowsOf(page, /^Transitions of the task:/)
      .first()
      .waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test("has a matrix of the racing events of each state, and the outcomes of those whose order matters", async () => {
    const { page, problems } = await open(verification, "#/lab/verification");
    const state = "running.starting";
    await page.getByRole("combobox", { name: "State" }).selectOption(state);
    const here = verification.races?.races.filter((race) => race.in[state] !== undefined) ?? [];
    expect(here.length).toBeGreaterThan(0);
    const matrix = page.getByRole("region", { name: `Race matrix of ${state}` });
    const events = new Set(here.flatMap(({ first, second }) => [first, second]));
    expect(await matrix.locator("tbody tr").count()).toBe(events.size);
    const ordered = here.filter(({ isSame }) => !isSame);
    expect(await rowsOf(page, /^The order matters in running.starting/).count()).toBe(ordered.length);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test("shows a broken law with its path, and texts of machines are inert", async () => {
    const violation = { law: "L8", what: HOSTILE, exploration: HOSTILE, trace: HOSTILE };
    const [law] = verification.laws;
    const { page, problems } = await open({
      ...verification,
      laws: law === undefined ? [] : [{ ...law, id: "L8", title: HOSTILE, verdict: "broken" }],
      transitions: verification.transitions.map((each) => ({ ...each, guard: HOSTILE })),
      violations: [violation],
    });
    await page.getByText("Broken: L8.").waitFor();
    await page.getByText(`in the exploration ${HOSTILE}`).waitFor();
    expect(await page.title()).toBe("Verification");
    await page.getByRole("button", { name: "Verification" }).click();
    await page.getByRole("main", { name: "All tasks" }).waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test("of a server counts the transitions of its tasks as they run, and has an address with history", async () => {
    const opened: { served?: Served; counter?: FolderCounter } = {};
    await using served = await Served.open({
      script: SCRIPT,
      page: BUILT_PAGE,
      verification: {
        result: verificationOf({ ...verificationParts(), recorded: undefined }),
        async count(changed) {
          opened.counter ??= new FolderCounter(opened.served?.dataDir ?? "", taskMachine);
          return countsOn(verification, await opened.counter.count(changed));
        },
      },
    });
    opened.served = served;
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (line) => problems.push(line.text()));
    await page.goto(`${served.server.pageUrl}&view=verification`);
    const shown = page.getByRole("main", { name: "Verification" });
    await shown.getByText("Recorded: 0 tasks with 0 events.").waitFor();
    const { id } = await served.create("Write a.txt");
    await shown.getByText("Recorded: 1 task with").waitFor();
    await page.getByRole("button", { name: "recorded tasks" }).click();
    const entriesOf = (state: string, entries: string) =>
      shown.locator(`.sb-state[data-state="${state}"]`).getByText(entries);
    await entriesOf("waiting_for_input", "1 entry").waitFor();
    await entriesOf("idle", "0 entries").waitFor();
    const asked = (await served.info(id)).asks[0]?.askId;
    await served.post(`/api/tasks/${id}/asks/${asked}/answer`, { kind: "yes" });
    await entriesOf("idle", "1 entry").waitFor();
    const started = rowsOf(page, /^Transitions of the task:/).filter({ hasText: "task.start" });
    expect(await started.first().locator("td").nth(1).textContent()).toBe("1");

    await page.getByRole("button", { name: /^Tasks/ }).click();
    await page.getByRole("main", { name: "All tasks" }).waitFor();
    await page.waitForURL(/#\/tasks$/);
    await page.goBack();
    await shown.getByText("Recorded: 1 task with").waitFor();
    expect(new URL(page.url()).hash).toBe("#/lab/verification");
    await page.reload();
    await shown.getByText("Recorded: 1 task with").waitFor();
    await page.close();
    expect(problems).toEqual([]);
  });
});
