import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, launch } from "../page/browser.ts";
import { installed } from "./installed.ts";
import { Process } from "./process.ts";

const BUILT_PAGE = fileURLToPath(new URL("../../visualize/dist/page", import.meta.url));
const isPageBuilt = existsSync(path.join(BUILT_PAGE, "embed.js"));
const WHAT = "the answer yes to 2 in idle.failed was not expected and was accepted";

/** A browser on a busy machine takes its time: only one that hangs is given up. */
const HANGS_MS = 300_000;
const made = installed();
const inFolder = (name: string): string => path.join(made.folder, name);
const command = (...args: readonly string[]): Process =>
  new Process(made.bin, args, { cwd: made.folder, env: { TMPDIR: inFolder("tmp") } });

/** The command, to its end. */
async function signalbox(...args: readonly string[]) {
  const process = command(...args);
  return { code: await process.end(), stdout: process.stdout, stderr: process.stderr };
}

const machine = () => path.join(made.dir, "examples/stale-answer.mjs");
const SMALL = ["--calls", "0", "--tools", "read"];

beforeAll(() => {
  mkdirSync(inFolder("tmp"));
});

describe("verify --machine", () => {
  test("explores the machine that the module exports: its fault is found, and the law that forbids it is named", async () => {
    const { code, stdout } = await signalbox("verify", "--machine", machine());
    expect(code).toBe(1);
    expect(stdout).toMatch(/^L8 .*changes nothing .*broken +machine$/m);
    expect(stdout).toContain(`shortest counterexample:\nL8: ${WHAT}`);
  });

  test.each([
    ["none.mjs", undefined, "can't load none.mjs: "],
    ["throws.mjs", "throw new Error('not yet')", "can't load throws.mjs: not yet"],
    [
      "other.mjs",
      "export const machine = { config: {} };",
      "Expected `export const machine = taskMachine.provide(",
    ],
    ["empty.mjs", "export {};", "empty.mjs exports no `machine`"],
  ])("refuses %s with what was expected", async (name, content, words) => {
    if (content !== undefined) writeFileSync(inFolder(name), content);
    const { code, stdout, stderr } = await signalbox("verify", ...SMALL, "--machine", name);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("[CLI] Error: --machine: ");
    expect(stderr).toContain(words);
  });
});

describe("the guide about finding a real fault", () => {
  const chapter = readFileSync("docs/guide/finding-a-fault.md", "utf8");

  test("has the machine of the example, and its command finds the violation", async () => {
    const code = readFileSync(machine(), "utf8").split("\n").slice(1).join("\n");
    expect(chapter).toContain(`\`\`\`js\n${code}\`\`\`\n`);
    expect(chapter).toContain(`\nL8: ${WHAT}\n`);
    expect(chapter).toContain(
      "\nsignalbox verify --machine examples/stale-answer.mjs --emit-journal found.jsonl",
    );
  });

  test("ends with a test that replays the path on that machine", async () => {
    await signalbox("verify", ...SMALL, "--machine", machine(), "--emit-test", "found.test.ts");
    const written = readFileSync(inFolder("found.test.ts"), "utf8");
    const [, from = ""] = /^import \{ machine \} from "(.*)";$/m.exec(written) ?? [];
    expect(path.resolve(made.folder, from)).toBe(machine());
    expect(written).toContain("violationsOn(path, machine, ALL_LAWS");
  });
});

describe.skipIf(!isPageBuilt)("a counterexample that is looked at", () => {
  const PAGE = "the page.html";
  let said = "";
  beforeAll(async () => {
    const emits = ["--emit-page", PAGE, "--emit-journal", "found.jsonl"];
    const { code, stdout } = await signalbox("verify", ...SMALL, "--machine", machine(), ...emits);
    expect(code).toBe(1);
    said = stdout;
  });

  test("is printed with the commands that open it at the transition that breaks the law", () => {
    expect(said).toContain("\nTo view it: signalbox inspect found.jsonl --at 4\n");
    expect(said).toContain(`\nTo view it: open '${PAGE}' in a browser.\n`);
  });

  test.skipIf(chromiumPath === undefined)(
    "is a page without a network that shows the law, what broke it, and the chart and transitions of the last transition",
    async () => {
      const browser = await launch();
      try {
        const context = await browser.newContext({ offline: true, viewport: { width: 1700, height: 800 } });
        context.setDefaultTimeout(HANGS_MS);
        const page = await context.newPage();
        const troubles: string[] = [];
        page.on("pageerror", (error) => troubles.push(error.message));
        page.on("console", (line) => troubles.push(line.text()));
        await page.goto(pathToFileURL(inFolder(PAGE)).href);
        // From 1600 px the chart is beside the state.
        await page.locator(".sb-chart .sb-state").first().waitFor();
        await page.getByRole("tab", { name: "State" }).click();
        expect(await page.title()).toBe(`L8: ${WHAT}`);
        const banner = page.getByRole("complementary", { name: "Counterexample" });
        expect(await banner.textContent()).toMatch(
          /^L8 is broken\(an answer .*\): the answer yes to 2.*an answer to 2.*because the guard isYes passed/,
        );
        const test = await banner.getByRole("link", { name: "Save as test" }).getAttribute("href");
        expect(decodeURIComponent(test ?? "")).toContain(`test(${JSON.stringify(`L8: ${WHAT}`)}`);
        expect(await page.getByTestId("place").textContent()).toBe("4");
        expect(await page.locator('.sb-chart .is-active[data-path="streaming.preparing"]').count()).toBe(1);
        await page.getByText("Request retried").first().waitFor();
        await page.getByText("ask:2").first().waitFor();
        const taken = page.getByRole("region", { name: "Transitions taken" });
        await taken.filter({ hasText: "idle.failed ask.answered [isYes] → running.requesting" }).waitFor();
        expect(troubles).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );

  test("is opened by inspect at that transition, from a copy that goes away with it", async () => {
    const before = readFileSync(inFolder("found.jsonl"), "utf8");
    const inspecting = command("inspect", "found.jsonl", "--at", "4");
    await inspecting.said("&task=");
    const [, url = "", token = ""] =
      /Open (http:\S+)\/#token=(\S+)&task=explored&at=4\n/.exec(inspecting.stdout) ?? [];
    const events = await fetch(`${url}/api/tasks`, { headers: { authorization: `Bearer ${token}` } });
    expect(await events.json()).toMatchObject({ tasks: [{ id: "explored", state: "resumable" }] });
    inspecting.child.kill("SIGTERM");
    expect(await inspecting.code).toBe(143);
    expect(readdirSync(inFolder("tmp"))).toEqual([]);
    expect(readFileSync(inFolder("found.jsonl"), "utf8")).toBe(before);
  });

  test("that is not a journal is rejected by inspect, as is --at without a task", async () => {
    writeFileSync(inFolder("words.jsonl"), "some words\n");
    for (const file of ["words.jsonl", "none.jsonl"]) {
      const { code, stderr } = await signalbox("inspect", file);
      expect(code).toBe(1);
      expect(stderr).toContain(`${file}`);
      expect(stderr).toMatch(/^\[CLI\] Error: (?!unexpected)/);
    }
    const { code, stderr } = await signalbox("inspect", "--at", "4", "--data-dir", inFolder("data"));
    expect(code).toBe(1);
    expect(stderr).toContain("--at was given without a task.");
  });
});
