import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { node24 } from "../../bench/harness/node24.ts";
import { assertNode } from "../../cluster/node-version.ts";
import { openWakes } from "../../cluster/wakes/wakes.ts";
import { hasPostgres } from "../support/postgres.ts";
import { memoryStore } from "./memory-store.ts";

const node = hasPostgres ? await node24().catch(() => undefined) : undefined;
if (hasPostgres && node === undefined)
  console.warn("The tests of @signalbox/cluster are skipped. npm could not install Node 24.");
const CONFIG = fileURLToPath(new URL("./vitest.config.ts", import.meta.url));
const VITEST = path.join(
  path.dirname(createRequire(import.meta.url).resolve("vitest/package.json")),
  "vitest.mjs",
);
const Results = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  success: z.boolean(),
});

test.each(["20.20.2", "22.11.0"])("Node %s is refused with the version that is needed", (version) => {
  expect(() => assertNode(version)).toThrow(
    expect.objectContaining({
      code: "NODE_TOO_OLD",
      message: `Expected Node 22.12 or later, found ${version}. Start the worker with a later version of Node.`,
    }),
  );
});

test.each(["22.12.0", "24.0.0"])("Node %s is accepted", (version) => {
  assertNode(version);
});

test.skipIf(Number(process.versions.node.split(".")[0]) >= 22)(
  "wakes under an older Node are refused before a connection is opened",
  async () => {
    await expect(
      openWakes({ url: "postgres://nowhere.invalid/none", store: memoryStore(), onError: console.error }),
    ).rejects.toMatchObject({
      code: "NODE_TOO_OLD",
    });
  },
);

describe.skipIf(node === undefined)("under Node 24", () => {
  test("the tests of @signalbox/cluster pass, and none is skipped", async () => {
    const args = [VITEST, "run", "--config", CONFIG, "--reporter=json"];
    const { stdout, stderr } = await promisify(execFile)(node ?? "", args, { maxBuffer: 2 ** 26 }).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    const results = Results.parse(JSON.parse(stdout));
    expect(results, `${stdout}\n${stderr}`).toMatchObject({
      numFailedTests: 0,
      numPendingTests: 0,
      success: true,
    });
    expect(results.numPassedTests).toBeGreaterThan(0);
  });
});
