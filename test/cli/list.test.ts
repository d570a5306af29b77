import { EventEmitter } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { main } from "../../cli/main.ts";
import { fileHistory } from "../../store/task-history/file-history.ts";
import { forkTask } from "../../store/task-history/fork.ts";
import { Archive, commit, started } from "../store/task-history/data-folder.ts";

const TITLE = "Rename the greeting in every module, and explain what you changed and why you changed it";
const base = realpathSync(mkdtempSync(path.join(tmpdir(), "signalbox-test-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const archive = new Archive();
afterAll(() => archive[Symbol.dispose]());
const [here, elsewhere] = [path.join(base, "here"), path.join(base, "elsewhere")];
archive.write("a", [started(TITLE)], { workspace: here });
archive.write("b", [started("Other work")], { workspace: elsewhere });
await forkTask(fileHistory(archive.dataDir), "a", { at: 1, newId: "f" });

async function list(args: readonly string[], columns?: number, { dataDir } = archive): Promise<string> {
  const io = Object.assign(new EventEmitter(), {
    stdin: new PassThrough().end(),
    stdout: Object.assign(new PassThrough(), columns !== undefined && { columns, isTTY: true }),
    stderr: new PassThrough(),
    env: {},
  });
  expect(await main(["list", "--data-dir", dataDir, ...args], io)).toBe(0);
  return String(io.stdout.read() ?? "");
}

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, " ");

describe("list", () => {
  test("has the tasks of one workspace, or with --all the tasks of all workspaces and a column for them", async () => {
    expect(await list(["-w", here])).not.toContain("Other work");
    expect(await list(["-w", here])).not.toContain("workspace");
    const all = await list(["--all"]);
    expect(all).toMatch(new RegExp(`${elsewhere} +Other work  \\(its process ended\\)$`, "m"));
    expect(all).toMatch(new RegExp(`${here} +${TITLE}  \\(its process ended\\)$`, "m"));
  });

  test("says how to list the others where this workspace has none", async () => {
    expect(await list(["-w", base])).toBe(
      `No tasks in ${base}. To list all workspaces: signalbox list --all --data-dir ${archive.dataDir}\n`,
    );
  });

  test("tells a fork from its origin", async () => {
    expect(await list(["-w", here])).toMatch(
      new RegExp(`${TITLE} {2}\\(its process ended\\) {2}\\(fork of a at 1\\)$`, "m"),
    );
  });

  test("has the groups and words of the page: each subtask below its parent, with the reason in words", async () => {
    using own = new Archive();
    const asked = { ts: 20, type: "ask", ask: "api_req_failed", text: "401 invalid x-api-key" } as const;
    own.write("a", [started("Fix it"), commit(2, { after: "idle.completed" })]);
    own.write("a.1", [started("Help")], { parent: { taskId: "a", rootId: "a", callId: "c" } });
    const failed = commit(2, { after: "idle.failed", log: [{ type: "message.appended", message: asked }] });
    own.write("b", [started("Sign in"), failed]);
    const lines = (await list(["--all"], undefined, own)).split("\n").map((line) => line.trim());
    expect(lines.map((line) => line.replaceAll(/ +\d+ \S+ +\d+ \S+ +code {2}/g, " | "))).toEqual([
      expect.stringMatching(/^id +state +since +duration +mode +title$/),
      "Failed: 1",
      "b    failed | Sign in  (401 invalid x-api-key)",
      "Done: 1",
      "a    completed | Fix it",
      "a.1  interrupted |   Help  (its process ended)",
      "",
    ]);
  });

  test.each([60, 100, 160])("shows whole titles within %i columns", async (columns) => {
    for (const args of [["-w", here], ["--all"]]) {
      const text = await list(args, columns);
      expect(inOneLine(text)).toContain(TITLE.slice(0, 40));
      const words = inOneLine(text);
      for (const word of TITLE.split(" ")) expect(words).toContain(word);
      expect(text.split("\n").filter((line) => line.length > columns)).toEqual([]);
    }
  });
});
