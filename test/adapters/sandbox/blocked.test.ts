import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { accessesOf } from "../../../adapters/sandbox/accesses.ts";
import { BUBBLEWRAP_ERRORS, blockedNote } from "../../../adapters/sandbox/blocked.ts";

const workspace = realpathSync(mkdtempSync(path.join(tmpdir(), "signalbox-blocked-")));
for (const name of ["keys", "settings", "others"]) writeFileSync(path.join(workspace, name), "");
afterAll(() => rmSync(workspace, { recursive: true }));

const accesses = accessesOf({ denyRead: ["keys"], denyWrite: ["settings"], hidden: ["others"] }, workspace);
const noteOf = (output: string) =>
  blockedNote(output, { cwd: workspace, accesses, hosts: [], errors: BUBBLEWRAP_ERRORS });

describe("the note on a blocked access names the setting that allows it", () => {
  test.each([
    ["a file of denyRead", "cat: keys: Permission denied", "sandbox.denyRead."],
    ["a file of denyWrite", "sh: settings: Read-only file system", "sandbox.denyWrite."],
    ["a file outside", "sh: /etc/hosts: Read-only file system", "sandbox.write."],
    [
      "a file outside that does not exist",
      "sh: /etc/signalbox-new: Read-only file system",
      "sandbox.write (the folder of a new file).",
    ],
  ])("%s", (_, output, setting) => {
    expect(noteOf(output)).toMatch(
      /^\[The sandbox blocked (reading|writing) \/\S+\. Only the user can allow it/,
    );
    expect(noteOf(output)).toContain(`in the settings: ${setting}]`);
  });

  test("a file of another task: none", () => {
    expect(noteOf("cat: others: Permission denied")).toBe(
      `[The sandbox blocked reading ${workspace}/others. No setting allows files of other tasks.]`,
    );
  });
});
