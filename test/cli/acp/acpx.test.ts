import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { installed } from "../installed.ts";
import { Process } from "../process.ts";
import { READ, run, ScriptedFolder, WRITE } from "./scripted-agent.ts";

const box = installed();
/** Seconds that the client's background process waits for a next prompt. While it ends, it rejects a prompt. */
const TTL_S = "60";
let tools = "";

// It needs a newer Node than this package.
beforeAll(() => {
  tools = box.newFolder();
  execFileSync("npm", ["install", "--silent", "node@24", "acpx@0.19.1"], { cwd: tools });
});

/** `acpx` with this agent. It keeps its sessions in a home of its own. */
async function acpx(
  folder: ScriptedFolder,
  ...args: readonly string[]
): Promise<{ code: number | null; text: string }> {
  const home = path.join(folder.workspace, "home");
  mkdirSync(home, { recursive: true });
  const key = ["--api-key", "sk-test-0123456789"];
  const agent = [process.execPath, box.bin, "acp", ...folder.args, ...key];
  const { PATH } = process.env;
  const client = new Process(
    path.join(tools, "node_modules/acpx/dist/cli.js"),
    ["--agent", agent.join(" "), "--cwd", folder.workspace, "--ttl", TTL_S, ...args],
    {
      program: path.join(tools, "node_modules/node/bin/node"),
      env: { ...folder.env, HOME: home, PATH: `${path.join(tools, "node_modules/node/bin")}:${PATH}` },
    },
  );
  return { code: await client.end(), text: client.stdout };
}

test("an independent client prompts, permits, denies, and resumes a session", async () => {
  const folder = await ScriptedFolder.open(
    `[[{ text: I look. }, ${READ}], ${WRITE}, ${run("echo out")}, { text: Done. }, { text: More. }]`,
  );
  const content = () => readFileSync(path.join(folder.workspace, "a.txt"), "utf8");
  // Its exit code says that it denied something.
  expect(await acpx(folder, "--deny-all", "exec", "Go")).toMatchObject({
    code: 5,
    text: expect.stringContaining("[done] end_turn"),
  });
  expect(content()).toBe("one\n");
  await acpx(folder, "sessions", "new");
  const first = await acpx(folder, "--approve-all", "prompt", "Go");
  expect(first.code).toBe(0);
  expect(first.text).toContain("[tool] Overwrite a.txt (+1 -1) (completed)");
  expect(first.text).toContain("Done.");
  expect(content()).toBe("two\n");
  expect(await acpx(folder, "--approve-all", "prompt", "And now?")).toMatchObject({
    code: 0,
    text: expect.stringContaining("More."),
  });
  await acpx(folder, "sessions", "close");
  await folder.close();
});

test("an independent client cancels a command, in its terminal or in ours, and the session goes on", async () => {
  for (const kind of [[], ["--no-terminal"]]) {
    const folder = await ScriptedFolder.open(`[${run("echo > begun; cat gate")}, { text: More. }]`);
    const begun = path.join(folder.workspace, "begun");
    execFileSync("mkfifo", [begun, path.join(folder.workspace, "gate")]);
    await acpx(folder, ...kind, "sessions", "new");
    const prompt = acpx(folder, ...kind, "--approve-all", "prompt", "Go");
    await readFile(begun);
    await acpx(folder, ...kind, "cancel");
    expect(await prompt).toMatchObject({ text: expect.stringContaining("[done] cancelled") });
    expect(await acpx(folder, ...kind, "--approve-all", "prompt", "And now?")).toMatchObject({
      code: 0,
      text: expect.stringContaining("More."),
    });
    await acpx(folder, ...kind, "sessions", "close");
    await folder.close();
  }
});
