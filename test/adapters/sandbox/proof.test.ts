import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { accessesOf, sortedAccesses } from "../../../adapters/sandbox/accesses.ts";
import { BUBBLEWRAP } from "../../../adapters/sandbox/bubblewrap-means.ts";
import { checkProbes } from "../../../adapters/sandbox/check-probes.ts";
import { CommandSandbox } from "../../../adapters/sandbox/command-sandbox.ts";
import { HeldFiles } from "../../../adapters/sandbox/held-files.ts";
import type { Confinement } from "../../../adapters/sandbox/means.ts";
import { type Probe, probesOf } from "../../../adapters/sandbox/probe.ts";
import { openProbeGround, type ProbeGround } from "../../../adapters/sandbox/probe-ground.ts";
import { assertSandbox } from "../../../adapters/sandbox/proof.ts";
import { sandboxShell } from "../../../adapters/sandbox/sandbox.ts";
import type { SandboxSystem } from "../../../adapters/sandbox/system.ts";
import { systemShell } from "../../../adapters/shell/shell.ts";
import { hasSandbox } from "../../support/sandbox.ts";
import { UNCONFINED, writeSandboxExec } from "./sandbox-exec.ts";

let base: string;
let workspace: string;
beforeEach(() => {
  base = mkdtempSync(path.join(homedir(), ".signalbox-proof-"));
  workspace = path.join(base, "workspace");
  for (const name of ["workspace", "tmp", "home"]) mkdirSync(path.join(base, name));
  vi.stubEnv("TMPDIR", path.join(base, "tmp"));
  vi.stubEnv("HOME", path.join(base, "home"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true });
});

/** A system with macOS and a program in place of its `sandbox-exec`. */
const macOs = (script: string): SandboxSystem => ({
  platform: "darwin",
  sandboxExec: writeSandboxExec(path.join(base, "bin"), script),
});

const run = (system: SandboxSystem, command: string) =>
  systemShell({ sandbox: new CommandSandbox({}, workspace, undefined, system) }).run({
    ...{ command, cwd: workspace, timeoutMs: 60_000, signal: new AbortController().signal },
    output: () => {},
  });

const expectNothingLeft = (): void => {
  for (const name of ["tmp", "home", "workspace"]) expect(readdirSync(path.join(base, name))).toEqual([]);
};

describe("a sandbox is refused before its first command", () => {
  test("where it confines nothing, with the first probe that got through", async () => {
    const refusal = {
      code: "SANDBOX_PROBE",
      message: expect.stringMatching(
        /^The sandbox \(Seatbelt, .*sandbox-exec\) does not protect as it must: expected it to block a program that tries to create a file in .*, but it did not\. No command was run in it\. .*report this message.*or run without a sandbox\.$/,
      ),
    };
    await expect(run(macOs(UNCONFINED), "echo x > ran")).rejects.toMatchObject(refusal);
    await expect(assertSandbox(macOs(UNCONFINED))).rejects.toMatchObject(refusal);
    expectNothingLeft();
  });

  test("where its program fails, with the error of the program", async () => {
    const system = macOs("#!/bin/sh\necho 'unbound variable: file-x' >&2\nexit 65\n");
    await expect(run(system, "echo x > ran")).rejects.toMatchObject({
      code: "SANDBOX_PROBE",
      message: expect.stringContaining(
        "expected the results of its probes, but their process ended with 65 and the error: unbound variable: file-x.",
      ),
    });
    expectNothingLeft();
  });

  test("where its program can't be started", async () => {
    await expect(run(macOs("#!/nowhere/sh\n"), "true")).rejects.toMatchObject({
      code: "SANDBOX_PROBE",
      message: expect.stringContaining("could not be started: spawn"),
    });
  });

  test("where its program is missing", async () => {
    const system: SandboxSystem = { platform: "darwin", sandboxExec: path.join(base, "none") };
    const refusal = {
      code: "SANDBOX_MISSING",
      message: `Expected the program '${base}/none', which is a part of macOS, but it can't be run. Restore it, or run without a sandbox.`,
    };
    await expect(run(system, "true")).rejects.toMatchObject(refusal);
    await expect(assertSandbox(system)).rejects.toMatchObject(refusal);
  });

  test("where it blocks everything", async () => {
    const all = `#!/bin/sh\nfor last; do :; done\nexec "${process.execPath}" -p 'JSON.stringify(JSON.parse(process.argv[1]).map(() => "EPERM"))' "$last"\n`;
    await expect(run(macOs(all), "true")).rejects.toMatchObject({
      code: "SANDBOX_PROBE",
      message: expect.stringMatching(
        /expected a program to be able to create a file in .*, but the error was EPERM\./,
      ),
    });
  });

  test("of a shell with an environment of its own", async () => {
    const folder = (name: string): string => path.join(base, "workspace", name);
    const folders = { workspace: folder("work"), home: folder("home"), programs: folder("programs") };
    for (const each of Object.values(folders)) mkdirSync(each);
    await expect(sandboxShell(folders, {}, macOs(UNCONFINED))).rejects.toMatchObject({
      code: "SANDBOX_PROBE",
    });
    expect(readdirSync(folders.programs)).toEqual([]);
  });

  test("again, until it protects", async () => {
    await expect(run(macOs(UNCONFINED), "true")).rejects.toMatchObject({ code: "SANDBOX_PROBE" });
    await expect(run(macOs(UNCONFINED), "true")).rejects.toMatchObject({ code: "SANDBOX_PROBE" });
  });
});

describe("the outcome of a probe", () => {
  const answering = (...results: readonly string[]): Confinement => ({
    ...{ name: "Test", program: "/bin/sh", args: ["-c", `echo '${JSON.stringify(results)}'`] },
    ...{ held: new HeldFiles(), accesses: [], port: undefined, leave() {} },
    temporary: { folder: base, seen: base },
  });
  const probe = (of: Partial<Probe>): Probe => ({ does: "do it", isBlocked: true, action: ["a"], ...of });

  test.each([
    ["is blocked by an error", { isBlocked: true }, "EPERM", undefined],
    ["is not blocked where it succeeds", { isBlocked: true }, "done", /block a program that tries to do it/],
    [
      "is not blocked where its effect is seen outside, whatever it reports",
      { isBlocked: true, hasEffect: () => true },
      "EPERM",
      /block a program that tries to do it/,
    ],
    ["is possible where it succeeds", { isBlocked: false }, "done", undefined],
    [
      "is not possible where it fails",
      { isBlocked: false },
      "EPERM",
      /able to do it, but the error was EPERM/,
    ],
    [
      "is not possible where its effect is not seen outside",
      { isBlocked: false, hasEffect: () => false },
      "done",
      /able to do it, but the change is not seen outside/,
    ],
  ])("%s", async (_, of, result, problem) => {
    const checked = checkProbes(answering(result), [probe(of)]);
    if (problem === undefined) await expect(checked).resolves.toBeUndefined();
    else
      await expect(checked).rejects.toMatchObject({
        code: "SANDBOX_PROBE",
        message: expect.stringMatching(problem),
      });
  });

  test("is unknown where there is not one result for each probe", async () => {
    await expect(checkProbes(answering("EPERM"), [probe({}), probe({})])).rejects.toMatchObject({
      code: "SANDBOX_PROBE",
    });
  });
});

describe.skipIf(!hasSandbox)("the probes of a sandbox by Bubblewrap", () => {
  /** Run the probes in a sandbox whose arguments are changed. */
  async function probe(
    change: (args: readonly string[], ground: ProbeGround) => readonly string[],
  ): Promise<void> {
    const ground = await openProbeGround();
    const confinement = await BUBBLEWRAP.confine({
      rules: sortedAccesses([...accessesOf({ denyRead: [".env"] }, workspace), ...ground.accesses]),
      ...{ temporary: ground.temporary, sockets: [ground.unix.at.path ?? ""], proxyPort: undefined },
    });
    const args = change(confinement.args.slice(0, -1), ground);
    try {
      await checkProbes(
        { ...confinement, args: [...args, "--"] },
        probesOf(confinement, ground, [homedir()]),
      );
    } finally {
      confinement.leave();
      await ground.close();
    }
  }
  const bind = (file: string): readonly string[] => ["--bind", file, file];

  test("pass, and leave nothing", async () => {
    await probe((args) => args);
    await assertSandbox();
    expectNothingLeft();
  });

  test.each<[string, (args: readonly string[], ground: ProbeGround) => readonly string[], RegExp]>([
    ["network", (args) => [...args, "--share-net"], /connect to 127\.0\.0\.1:\d+/],
    ["the home", (args) => [...args, ...bind(homedir())], /create a file in .*\/home,/],
    [
      "the rename of a folder with one in it that can't be written",
      (args, { parent }) => {
        const at = args.findIndex((word, index) => word === parent && args[index - 2] === "--bind-fd");
        return [...args.slice(0, at - 2), ...args.slice(at + 1)];
      },
      /rename .*\/parent, in which a folder can't be written,/,
    ],
    ["denied files", (args, { secret }) => [...args, ...bind(path.dirname(secret))], /read .*\/denied,/],
    [
      "folders that can't be written in one that can be",
      (args, { parent }) => [...args, ...bind(path.join(parent, "kept"))],
      /create a file in .*\/kept,/,
    ],
    [
      "sockets of other programs",
      (args, { unix }) => [...args, ...bind(unix.at.path ?? "")],
      /connect to .*\/readable\/s,/,
    ],
  ])("name the one that got through where a sandbox leaves open: %s", async (_, change, said) => {
    await expect(probe(change)).rejects.toMatchObject({
      code: "SANDBOX_PROBE",
      message: expect.stringMatching(said),
    });
    expectNothingLeft();
  });

  test("are tried once for each sandbox of a process", async () => {
    const probed = vi.spyOn(BUBBLEWRAP, "confine");
    for (const options of [{}, {}, { denyWrite: ["a"] }]) {
      const sandbox = new CommandSandbox(options, workspace);
      const entered = await sandbox.enter({ program: "/bin/true", args: [], cwd: workspace, env: {} });
      entered.held.close();
      await entered.leave("");
    }
    expect(probed).toHaveBeenCalledTimes(2);
    probed.mockRestore();
    expectNothingLeft();
  });
});
