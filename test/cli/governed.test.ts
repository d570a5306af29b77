import { EventEmitter } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "../../cli/main.ts";
import type { Outcome } from "../../machines/tool-call/call.ts";
import { canOpenPage, launch } from "../page/browser.ts";
import { GOVERNED, GOVERNED_FILES, GOVERNED_SCRIPT } from "../support/governed.ts";
import { openRig, type Rig } from "../support/host.ts";
import { installed } from "./installed.ts";
import { Process } from "./process.ts";
import { openPseudoRun } from "./terminal/pseudo-run.ts";
import { hasPseudoTerminal } from "./terminal/pseudo-terminal.ts";

/** A browser on a busy machine takes its time: only one that hangs is given up. */
const HANGS_MS = 300_000;
const box = installed();
let rig: Rig;
beforeAll(async () => {
  rig = await openRig({ script: GOVERNED_SCRIPT, files: GOVERNED_FILES, ...GOVERNED });
  await rig.task.run("Do it");
  await rig.host.closeAll();
});
afterAll(() => rig[Symbol.asyncDispose]());

/** What a command prints. */
async function signalbox(...args: readonly string[]): Promise<string> {
  const io = Object.assign(new EventEmitter(), {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
  });
  expect(await main([...args], io)).toBe(0);
  return String(io.stdout.read() ?? "");
}

/** The number of the first record with such a result of the tool. */
const recordOf = (tool: string, kind: Outcome["kind"]): number | undefined =>
  rig.shown.find(({ commit }) =>
    commit.calls.some((call) => call.name === tool && call.phase === "settled" && call.outcome.kind === kind),
  )?.seq;

describe("signalbox show of a governed task", () => {
  test("names the hook, the rule with its origin, and the clause with the record since which it does not hold", async () => {
    const shown = await signalbox("show", rig.task.id, "--data-dir", rig.dataDir);
    expect(shown).toContain('write_to_file: denied by the hook "no-keys": It has a private key.');
    expect(shown).toContain('denied by the rule "edit(src/secret.txt) in settings.yaml:3": ');
    expect(shown).toContain(`This is not allowed now, since record ${recordOf("read_file", "done")}.`);
  });

  test("names the intent of the task, and of each write at its record", async () => {
    const shown = await signalbox("show", rig.task.id, "--seq", "--data-dir", rig.dataDir);
    expect(shown).toContain("\nIntent     INT-1\n");
    const record = String(recordOf("write_to_file", "done")).padStart(6);
    expect(shown).toMatch(
      new RegExp(
        `New file src/a.txt.*\n.*\n.*\n${record}    wrote src/a.txt \\(created \\+2 -0\\), intent INT-1\n`,
      ),
    );
    const json = await signalbox("show", rig.task.id, "--format", "json", "--data-dir", rig.dataDir);
    expect(JSON.parse(json)).toMatchObject({
      intent: { stage: "selected", id: "INT-1" },
      writes: [{ path: "src/a.txt", intent: "INT-1", tool: "write_to_file" }],
    });
  });
});

describe.skipIf(!hasPseudoTerminal)("a governed task on a terminal", () => {
  test("shows the intent that it selects, what a write of it was made for, and what denied another", async () => {
    const { terminal } = await openPseudoRun(box, GOVERNED_SCRIPT, { files: GOVERNED_FILES, args: ["-y"] });
    await terminal.shows("All done.");
    const text = terminal.text.join("\n");
    expect(text).toContain("* Select the intent INT-1");
    expect(text).toContain("  wrote src/a.txt (created +2 -0), intent INT-1");
    expect(text).toContain("select an intent first");
  });
});

describe.skipIf(!canOpenPage)("the command that ledger blame prints", () => {
  test("opens the debugger at the event of the write", async () => {
    const workspace = box.newFolder();
    for (const [name, text] of Object.entries({ ...GOVERNED_FILES, "script.yaml": GOVERNED_SCRIPT })) {
      mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
      writeFileSync(path.join(workspace, name), text);
    }
    const command = (...args: readonly string[]) => new Process(box.bin, args, { cwd: workspace });
    const data = ["--data-dir", path.join(workspace, "data")];
    const mock = ["--provider", "mock", "--script", "script.yaml"];
    expect(await command("run", "-p", "-y", ...mock, ...data, "Do it").end()).toBe(0);
    const blamed = command("ledger", "blame", "src/a.txt:1", ...data);
    expect(await blamed.end()).toBe(0);
    const [, printed = ""] = /^To view it signalbox (.*)$/m.exec(blamed.stdout) ?? [];

    const inspecting = command(...printed.split(" "));
    await inspecting.said("&task=");
    const [, url = ""] = /Open (\S+)\n/.exec(inspecting.stdout) ?? [];
    const browser = await launch();
    try {
      const page = await browser.newPage({ viewport: { width: 1440, height: 800 } });
      page.setDefaultTimeout(HANGS_MS);
      await page.goto(url);
      const written = page.locator(".messages-written");
      await written.waitFor();
      const [, record = ""] = /Task {7}\S+, record (\d+)/.exec(blamed.stdout) ?? [];
      expect(await page.getByTestId("place").textContent()).toBe(record);
      expect(await written.textContent()).toBe(
        `wrote src/a.txt +2 −0 under the intent INT-1 in event ${record}`,
      );
    } finally {
      await browser.close();
      inspecting.child.kill("SIGTERM");
      await inspecting.code;
    }
  });
});
