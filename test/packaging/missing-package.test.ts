import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { installed } from "../cli/installed.ts";
import { Process } from "../cli/process.ts";

const box = installed();

const PROGRAM = `
import { createHost, memoryJournal } from "signalbox";

const host = createHost({ journal: () => memoryJournal() });
const task = await host.create({ model: "openai/gpt-5", workspace: false });
const { error } = await task.run("Go");
console.log(error?.message);
`;

test("a model whose package is not installed fails, and says how to install it", async () => {
  const dir = path.resolve(box.without("@ai-sdk"), "../../..");
  const program = path.join(dir, "main.mjs");
  writeFileSync(program, PROGRAM);
  const run = new Process(program, [], { env: { OPENAI_API_KEY: "a-secret-0123456789" } });
  expect(await run.end(), run.stderr).toBe(0);
  expect(run.stdout).toContain(
    'Expected the package @ai-sdk/openai, which is not installed. Install it beside signalbox: npm install "@ai-sdk/openai@3"',
  );
  // A package is not looked for again by the process that did not find it.
  expect(run.stdout).toContain("and start signalbox again.");
});
