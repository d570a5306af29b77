import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CommandSandbox } from "../../../adapters/sandbox/command-sandbox.ts";
import { systemShell } from "../../../adapters/shell/shell.ts";
import { hasSandbox } from "../../support/sandbox.ts";
import { ATTEMPTS, type Effect } from "./attempts.ts";
import { type Outside, openOutside, SECRET } from "./outside.ts";

const RULES = {
  hosts: ["*.localhost"],
  denyRead: [".env", "private/key"],
  denyWrite: [".git/hooks", ".git/config", ".vscode", "new/deep/file"],
};

describe.skipIf(!hasSandbox)("a command in a sandbox", () => {
  let outside: Outside;
  beforeEach(async () => {
    outside = await openOutside();
    for (const name of ["HOME", "PATH"]) vi.stubEnv(name, outside.env[name]);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await outside.close();
  });

  /** Whether a command has its effect outside. */
  async function hasEffect(effect: Effect, command: string, isContained: boolean): Promise<boolean> {
    const { workspace, env, received, left } = outside;
    const before = outside.files();
    const shell = systemShell({
      env: { ...env },
      killGraceMs: 0,
      ...(isContained && { sandbox: new CommandSandbox(RULES, workspace) }),
    });
    const { output, timedOut } = await shell.run({
      ...{ command, cwd: workspace, timeoutMs: 60_000 },
      signal: new AbortController().signal,
      output: () => {},
    });
    expect(timedOut).toBe(false);
    const effects: Readonly<Record<Effect, () => boolean | Promise<boolean>>> = {
      changes: () => outside.files().join("\n") !== before.join("\n"),
      reads: () => output.includes(SECRET),
      reaches: () => received.some((text) => text.includes(env.MARK ?? "")),
      outlives: () => left().length > 0,
      kills: async () => !(await outside.isAlive()),
    };
    return effects[effect]();
  }

  test.each(ATTEMPTS.map((attempt) => [attempt.does, attempt] as const))(
    "has no effect outside when it %s",
    async (_, { effect, command }) => {
      expect(await hasEffect(effect, command, true)).toBe(false);
    },
  );

  test.each(
    ATTEMPTS.flatMap((attempt) => (attempt.notShown === undefined ? [[attempt.does, attempt] as const] : [])),
  )("would have an effect without the sandbox when it %s", async (_, { effect, command }) => {
    expect(await hasEffect(effect, command, false)).toBe(true);
  });

  test("does not start a Bubblewrap that a command has put into the search path", async () => {
    vi.stubEnv("PATH", `${outside.workspace}/bin:${process.env.PATH}`);
    const fake = `printf '#!/bin/sh\\necho x > "%s/new"\\n' "$BESIDE"`;
    expect(await hasEffect("changes", `mkdir bin; ${fake} > bin/bwrap; chmod +x bin/bwrap`, true)).toBe(
      false,
    );
    expect(await hasEffect("changes", "bin/bwrap", true)).toBe(false);
    expect(await hasEffect("changes", "bin/bwrap", false)).toBe(true);
  });

  test("tries at least 60 ways out", () => {
    expect(new Set(ATTEMPTS.map(({ command }) => command)).size).toBeGreaterThanOrEqual(60);
  });
});
