import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "../../cli/main.ts";
import type { Outcome } from "../../machines/tool-call/index.ts";
import { GOVERNED, GOVERNED_FILES, GOVERNED_SCRIPT } from "../support/governed.ts";
import { openRig, type Rig } from "../support/host.ts";
import { installed } from "./installed.ts";
import { openPseudoRun } from "./terminal/pseudo-run.ts";
import { hasPseudoTerminal } from "./terminal/pseudo-terminal.ts";

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
    expect(shown).toContain(
      `clause no write after a secret of policy sealed, since record ${recordOf("read_file", "done")}.`,
    );
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
