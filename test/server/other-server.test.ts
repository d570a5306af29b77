import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { program } from "../support/program.ts";

const CHILD = new URL("./other-server.child.ts", import.meta.url);

test("events are streamed in a process that ran another server of @hono/node-server before", async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [await program(CHILD)]);
  expect({ stdout, stderr }).toEqual({ stdout: "idle\n", stderr: "" });
});
