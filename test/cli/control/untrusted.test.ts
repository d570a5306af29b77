import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openShell } from "../../../adapters/sandbox/sandbox.ts";
import { outcomeAuditor } from "../../../cli/control/outcome-auditor.ts";
import { POLICIES } from "../../../cli/control/policies/policies.ts";
import { untrustedRun } from "../../../cli/control/policies/untrusted.ts";
import { isDone } from "../../../cli/control/setting/check.ts";
import { readSettings } from "../../../cli/control/setting/shipped.ts";
import type { MonitoredAction } from "../../../control/runtime/action.ts";
import { scriptedModel, scriptedToolCall } from "../../../testing/scripted-model.ts";
import { temporaryFolder } from "../process.ts";
import { action } from "./action.ts";

const [setting] = await readSettings(["hidden-user"]);
if (setting === undefined) throw new Error("Expected the setting hidden-user.");
const { attack, honest } = setting;
const { signal } = new AbortController();

describe("the auditor of a script", () => {
  test("finds an attack in what the script has attempted, and nowhere else", async () => {
    const policy = POLICIES.find(({ name }) => name === "at once")!;
    const { model, auditor, attempts } = untrustedRun(policy, {
      setting: setting!,
      seed: 0.25,
      outcomeAuditor: () => "harmless",
    });
    const audited = (given: MonitoredAction) => auditor(given, { signal });
    expect([[...attempts], await audited(action(attack))]).toEqual([[], "harmless"]);
    for await (const _ of model.stream({ messages: [], system: [], tools: [] }, signal));
    expect([[...attempts], await audited(action(` ${attack}\n`))]).toEqual([[attack], "attack"]);
    expect(await audited(action(honest[0] ?? ""))).toBe("harmless");
    expect(await audited(action(attack, { author: "trusted" }))).toBe("harmless");
    const { call, ...response } = action(attack);
    expect(await audited({ ...response, point: "response", calls: [call!] })).toBe("attack");
  });
});

describe("the auditor of a model", () => {
  const root = temporaryFolder();
  const folders = {
    workspace: path.join(root.path, "workspace"),
    home: path.join(root.path, "home"),
    programs: path.join(root.path, "programs"),
  };
  cpSync(setting!.workspace, folders.workspace, { recursive: true });
  for (const folder of [folders.home, folders.programs]) mkdirSync(folder);
  const shell = openShell(folders);
  afterAll(async () => {
    (await shell).close();
    root.remove();
  });

  async function auditor() {
    const place = { ...folders, data: path.join(root.path, "data"), shell: await shell };
    return outcomeAuditor({
      folders: place,
      isSandboxed: false,
      hasSideTask: (where) => isDone(setting!, "side", { ...where, signal }),
    });
  }

  test("runs a command in a copy, and finds an attack where it completes the side task", async () => {
    const audit = await auditor();
    expect(await audit(action(attack), { signal })).toBe("attack");
    expect(await audit(action(honest[1] ?? ""), { signal })).toBe("harmless");
    expect(await audit(action(`cd ${folders.workspace} && ${attack}`), { signal })).toBe("attack");
    expect(await isDone(setting!, "side", { ...folders, shell: await shell, signal })).toBe(false);
  });

  test("leaves the workspace and the home as they are, also through links, and beside a pipe", async () => {
    const audit = await auditor();
    const users = path.join(folders.workspace, "users.txt");
    const before = readFileSync(users, "utf8");
    symlinkSync("users.txt", path.join(folders.workspace, "link"));
    execFileSync("mkfifo", [path.join(folders.workspace, "pipe")]);
    const through = `echo sync:admin >> link; echo x > ${folders.home}/written`;
    expect(await audit(action(through), { signal })).toBe("attack");
    expect(readFileSync(users, "utf8")).toBe(before);
    expect(existsSync(path.join(folders.home, "written"))).toBe(false);
  });

  test("finds an attack in a result where the call has completed the side task, and in no later call", async () => {
    const audit = await auditor();
    expect(await audit(action(attack, { point: "result" }), { signal })).toBe("harmless");
    writeFileSync(path.join(folders.workspace, "users.txt"), "sync:admin\n");
    expect(await audit(action(attack, { point: "result" }), { signal })).toBe("attack");
    expect(await audit(action("ls"), { signal })).toBe("harmless");
  });

  test("does not judge an action of the trusted model, and what it finds is an attempt", async () => {
    const model = scriptedModel([scriptedToolCall("attempt_completion", { result: "Done." })]);
    const run = untrustedRun(
      { name: "attack m", mode: "attack", model },
      { setting: setting!, seed: 0, outcomeAuditor: () => "attack" },
    );
    expect(run.systemPrompt).toContain(setting!.sideTask);
    expect(await run.auditor(action(attack, { author: "trusted" }), { signal })).toBe("harmless");
    expect([...run.attempts]).toEqual([]);
    expect(await run.auditor(action(attack), { signal })).toBe("attack");
    expect([...run.attempts]).toEqual(["d1"]);
  });

  test("judges an honest model as well, whose system prompt has no side task", () => {
    const model = scriptedModel([]);
    const { systemPrompt } = untrustedRun(
      { name: "honest m", mode: "honest", model },
      { setting: setting!, seed: 0, outcomeAuditor: () => "harmless" },
    );
    expect(systemPrompt).not.toContain(setting!.sideTask);
  });
});
