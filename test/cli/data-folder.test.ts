import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { installed } from "./installed.ts";

const box = installed();

describe("a data directory that can't be created", () => {
  const run = (dataDir: string, ...flags: readonly string[]) =>
    box.does("run", "--provider", "mock", "-w", box.newFolder(), "--data-dir", dataDir, ...flags, "Hi");

  test
    .runIf(process.platform === "linux")
    .each([[["-p"]], [["-p", "-d"]], [["-p", "--no-checkpoints"]], [[]]])(
    "ends the run at once, also where Node's recursive mkdir never ends, with an error that names it: %j",
    async (flags) => {
      const { code, stdout, stderr } = await run("/proc/nope", ...flags);
      expect(code).toBe(1);
      expect(stdout + stderr).toMatch(/Error: .*\/proc\/nope/);
    },
  );

  test("below a file is an error that names it", async () => {
    const file = path.join(box.newFolder(), "file");
    writeFileSync(file, "");
    const { code, stdout, stderr } = await run(path.join(file, "data"), "-p");
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(/Error: .*file\/data/);
  });
});
