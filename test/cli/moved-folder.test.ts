import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Built, build } from "./built.ts";

let built: Built;
let root: string;
beforeAll(async () => {
  built = await build();
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "moved-")));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A shell command in a folder. `$CLI` is the command line. */
const sh = (command: string, cwd: string): Promise<Output> =>
  new Promise((resolve) => {
    const env = {
      PATH: process.env.PATH,
      HOME: root,
      XDG_CONFIG_HOME: path.join(root, "config"),
      NO_COLOR: "1",
      CLI: built.bin,
      DATA: path.join(root, "data"),
    };
    const child = execFile("/bin/sh", ["-c", command], { cwd, env }, (error, stdout, stderr) =>
      resolve({
        code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1,
        stdout,
        stderr,
      }),
    );
    child.stdin?.end();
  });

const RUN = `node "$CLI" run -p --provider mock --data-dir "$DATA"`;

test("a resume after a rename of the workspace names -w, and works with it", async () => {
  const workspace = path.join(root, "workspace");
  const moved = path.join(root, "moved");
  mkdirSync(workspace);
  const id = "00000000-0000-4000-8000-000000000001";
  expect(await sh(`${RUN} --create-with-session-id ${id} Hello`, workspace)).toMatchObject({ code: 0 });
  renameSync(workspace, moved);
  const { code, stderr } = await sh(`${RUN} --session-id ${id} "Go on"`, root);
  expect(code).toBe(1);
  expect(stderr).toContain(
    `The workspace '${workspace}' does not exist: expected a folder. If it was moved, name its new path`,
  );
  expect(stderr).toMatch(new RegExp(`To resume it in another folder: .*run --session-id ${id} -w FOLDER`));
  const resumed = await sh(`${RUN} --session-id ${id} -w "${moved}" "Go on"`, root);
  // The script of the mock ends here.
  expect(resumed.stderr).toContain("script_exhausted");
});

test.each(["run -p --provider mock Hello", "list", "verify --log x", "config show"])(
  "a start in a folder that was removed says what is wrong: %s",
  async (command) => {
    const gone = path.join(root, "gone");
    mkdirSync(gone, { recursive: true });
    const { code, stderr } = await sh(`rmdir "${gone}"; node "$CLI" ${command}`, gone);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        "[CLI] Error: the current folder no longer exists: expected one to work in. Change to another folder (cd), then run the command again.\n",
    });
    expect(await sh(`node "$CLI" --version`, root)).toMatchObject({ code: 0 });
  },
);

test("a workspace that is a file is named", async () => {
  writeFileSync(path.join(root, "file"), "");
  const { code, stderr } = await sh(`${RUN} -w file Hello`, root);
  expect(code).toBe(1);
  expect(stderr).toContain("The workspace 'file' is a file: expected a folder.");
});
