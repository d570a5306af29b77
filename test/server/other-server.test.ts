import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const CHILD = fileURLToPath(new URL("./other-server.child.ts", import.meta.url));

test("events are streamed in a process that ran another server of @hono/node-server before", async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--import", "tsx", CHILD]);
  expect({ stdout, stderr }).toEqual({ stdout: "idle\n", stderr: "" });
});
