import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TraceLog, traceOfJournal } from "../../visualize/trace/index.ts";
import { parseRecord } from "../../wire/journal/parse-record.ts";
import { chromiumPath, launch } from "../page/browser.ts";
import { installed } from "./installed.ts";
import { Process } from "./process.ts";

const BUILT_PAGE = fileURLToPath(new URL("../../visualize/dist/page", import.meta.url));
const hasPage = chromiumPath !== undefined && existsSync(path.join(BUILT_PAGE, "embed.js"));
const ATTACK = `</script><script>globalThis.attacked = 1</script><!--<script><img src=x onerror="attacked=1">`;
const SECRET = `sk-ant-api03-${"x7".repeat(12)}`;
const SCRIPT = `
- blocks:
    - { text: ${JSON.stringify(`I look around. ${ATTACK}`)} }
    - { tool: list_files, input: { path: "." } }
- { tool: attempt_completion, input: { result: ${JSON.stringify(`Done. ${ATTACK}`)} } }
`;

/** A browser on a busy machine takes its time: only one that hangs is given up. */
const HANGS_MS = 300_000;
const made = installed();
const inFolder = (name: string): string => path.join(made.folder, name);
let id = "";
let trace: TraceLog;

/** The command, to its end. */
async function signalbox(...args: readonly string[]) {
  const { bin, folder } = made;
  const process = new Process(bin, [...args, "--data-dir", inFolder("data")], { cwd: folder });
  const code = await process.end();
  return { code, stdout: process.stdout, stderr: process.stderr };
}

beforeAll(async () => {
  writeFileSync(inFolder("script.yaml"), SCRIPT);
  const script = ["--provider", "mock", "--script", "script.yaml"];
  const ran = await signalbox("run", "-p", "-y", ...script, `Look around ${ATTACK} ${SECRET}`);
  expect(ran.code).toBe(0);
  id = /"id":"([^"]+)"/.exec((await signalbox("list", "--format", "json")).stdout)?.[1] ?? "";
  const records = readFileSync(inFolder(`data/tasks/${id}/journal.jsonl`), "utf8")
    .trimEnd()
    .split("\n")
    .flatMap((line) => {
      const parsed = parseRecord(JSON.parse(line));
      return parsed.success ? [parsed.data] : [];
    });
  trace = new TraceLog(id, traceOfJournal(records));
});

describe("show --format html", () => {
  test.skipIf(!hasPage)("with --mask-secrets has no secret, and says how many places it masked", async () => {
    const full = await signalbox("show", id, "--format", "html");
    const masked = await signalbox("show", id, "--format", "html", "--mask-secrets");
    expect([full.code, masked.code]).toEqual([0, 0]);
    expect(full.stdout).toContain(SECRET);
    expect(masked.stdout).not.toContain(SECRET);
    expect(masked.stderr).toMatch(/^Masked \d+ places\.\n$/);
  });

  test("is required by --mask-secrets", async () => {
    const { code, stderr } = await signalbox("show", id, "--mask-secrets");
    expect(code).toBe(1);
    expect(stderr).toContain("--mask-secrets requires --format html. Add --format html.");
  });

  test("without the package of the page is rejected with the command that installs it", async () => {
    const args = ["show", id, "--format", "html", "--data-dir", inFolder("data")];
    const command = new Process(made.without("@signalbox"), args, { cwd: made.folder });
    expect(await command.end()).toBe(1);
    expect(command.stdout).toBe("");
    expect(command.stderr).toContain("Install it with `npm install @signalbox/debugger`.");
  });

  test("rejects an unknown record, and --at without a page", async () => {
    const beyond = await signalbox("show", id, "--format", "html", "--at", String(trace.length));
    expect(beyond.code).toBe(1);
    expect(beyond.stderr).toContain(`Expected one from 0 to ${trace.length - 1}.`);
    const alone = await signalbox("show", id, "--at", "1");
    expect(alone.code).toBe(1);
    expect(alone.stderr).toContain("--at requires --format html.");
  });
});

describe.skipIf(!hasPage)("the file of show --format html, in a browser without a network", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  async function open(...args: readonly string[]) {
    const { code, stdout, stderr } = await signalbox("show", id, "--format", "html", ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const file = path.join(made.newFolder(), "task.html");
    writeFileSync(file, stdout);
    const { href } = pathToFileURL(file);
    const context = await browser.newContext({ offline: true, viewport: { width: 1700, height: 800 } });
    context.setDefaultTimeout(HANGS_MS);
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on("pageerror", (error) => troubles.push(error.message));
    page.on("console", (line) => troubles.push(line.text()));
    page.on("request", (request) => {
      if (request.url().split("#")[0] !== href) troubles.push(request.url());
    });
    await page.goto(href);
    // From 1600 px the chart is beside the state.
    await page.locator(".sb-chart .sb-state").first().waitFor();
    return { page, troubles };
  }

  test("shows the task's end: its chart, its messages, and a state that agrees with them (L1); nothing is loaded", async () => {
    const { page, troubles } = await open();
    await page.getByRole("tab", { name: "State" }).click();
    const last = trace.length - 1;
    const { state, derived, rule } = trace.moment(last);
    expect(await page.getByTestId("place").textContent()).toBe(String(last));
    expect(await page.locator(`.sb-chart .is-active[data-path="${state}"]`).count()).toBe(1);
    expect(await page.locator(".sb-agreement").getAttribute("data-agrees")).toBe("true");
    expect(await page.locator(".sb-head .sb-badge").getAttribute("data-state")).toBe(derived.state);
    expect(await page.locator(".messages-state").textContent()).toContain(rule);
    expect(troubles).toEqual([]);
    await page.context().close();
  });

  test("shows hostile text of the task as text, without executing it", async () => {
    const { page, troubles } = await open();
    expect(await page.title()).toMatch(/^Look around <\/script><script>/);
    await page.getByText("Done. </script><script>globalThis.attacked = 1").first().waitFor();
    expect(await page.evaluate("globalThis.attacked")).toBe(undefined);
    expect(await page.locator("script").count()).toBe(4);
    expect(troubles).toEqual([]);
    await page.context().close();
  });

  test("opens at the record that --at names, and its keys go on from there", async () => {
    const { page } = await open("--at", "3");
    expect(await page.getByTestId("place").textContent()).toBe("3");
    const { derived } = trace.moment(4);
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.getByTestId("place").textContent()).toBe("4");
    expect(await page.locator(".sb-head .sb-badge").getAttribute("data-state")).toBe(derived.state);
    // The address follows once the place has stood for a while.
    await expect.poll(() => new URL(page.url()).hash).toContain("at=4");
    await page.context().close();
  });
});
