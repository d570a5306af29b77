import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openCheckpoints } from "../../adapters/checkpoints/checkpoints.ts";
import { gitRepository } from "../../adapters/repository/git-repository.ts";
import { withoutOwnPrograms } from "../../adapters/search-path.ts";
import { openWorkspace } from "../../adapters/workspace/workspace.ts";

let base: string;
let workspace: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), "search-path-")));
  workspace = path.join(base, "workspace");
  mkdirSync(path.join(workspace, "bin"), { recursive: true });
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true });
});

describe("the search path of programs that work on a workspace", () => {
  test("has no folder of the workspace, also not through a link, and none that is relative", () => {
    symlinkSync(path.join(workspace, "bin"), path.join(base, "link"));
    const PATH = [path.join(workspace, "bin"), "/usr/bin", path.join(base, "link"), "bin", "", base].join(
      ":",
    );
    expect(withoutOwnPrograms({ PATH, HOME: "/h" }, workspace)).toEqual({
      PATH: `/usr/bin:${base}`,
      HOME: "/h",
    });
  });

  test("does not lead to a git that a command has put into the workspace", async () => {
    const ran = path.join(base, "ran");
    writeFileSync(path.join(workspace, "bin/git"), `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
    execFileSync("git", ["init", "--quiet", workspace]);
    vi.stubEnv("PATH", `${path.join(workspace, "bin")}:${process.env.PATH}`);
    const { signal } = new AbortController();
    const repository = gitRepository(await openWorkspace(workspace));
    expect(await repository.changes({ maxBytes: 1_000, signal })).toContain("bin/");
    const checkpoints = await openCheckpoints({ workspace, dataDir: path.join(base, "data") });
    expect(checkpoints).toHaveProperty("save");
    expect(existsSync(ran)).toBe(false);
  });
});
