import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "../../cli/main.ts";
import { GOVERNED, GOVERNED_FILES, GOVERNED_SCRIPT } from "../support/governed.ts";
import { openRig, type Rig } from "../support/host.ts";

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

/** The number of the first record with such a call. */
const recordOf = (tool: string, phase: string): number | undefined =>
  rig.shown.find(({ commit }) => commit.calls.some((call) => call.name === tool && call.phase === phase))
    ?.seq;

describe("signalbox show of a governed task", () => {
  test("names the hook, the rule with its origin, and the clause with the record since which it does not hold", async () => {
    const shown = await signalbox("show", rig.task.id, "--data-dir", rig.dataDir);
    expect(shown).toContain('write_to_file: denied by the hook "no-keys": It has a private key.');
    expect(shown).toContain('denied by the rule "edit(src/secret.txt) in settings.yaml:3": ');
    expect(shown).toContain(
      `clause no write after a secret of policy sealed, since record ${recordOf("read_file", "settled")}.`,
    );
  });
});
