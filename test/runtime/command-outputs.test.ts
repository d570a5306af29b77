import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CommandOutputs } from "../../runtime/command-outputs.ts";
import { createHost } from "../../runtime/host.ts";
import { fileJournal, fileObjects, memoryJournal } from "../../store/index.ts";
import { scriptedModel, scriptedToolCall } from "../../testing/index.ts";
import { builtinTools } from "../../tools/index.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "outputs-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const RESULT = { output: "cut", exitCode: 0, timedOut: false };

test("a full output moves from its file to the objects, and is found by its id", async () => {
  const driver = fileJournal({ dir: path.join(folder, "task") });
  await driver.own();
  const outputs = new CommandOutputs(fileObjects({ dir: path.join(folder, "task") }));
  const file = path.join(folder, "0-1.log");
  await writeFile(file, "the full output");
  expect(await outputs.keep({ ...RESULT, fullOutputPath: file })).toEqual({
    ...RESULT,
    fullOutputId: "output/0-1.log",
  });
  expect(existsSync(file)).toBe(false);
  const kept = await outputs.find("output/0-1.log");
  expect(kept?.bytes).toBe(15);
  const chunks: Uint8Array[] = [];
  for await (const chunk of kept?.read(4) ?? []) chunks.push(chunk);
  expect(String(Buffer.concat(chunks))).toBe("full output");
  for (const id of ["output/2.log", "output/../journal.jsonl", "checkpoints/0-1.log", "toolu_1"])
    expect(await outputs.find(id)).toBe(undefined);
  expect(await outputs.keep(RESULT)).toBe(RESULT);
  await driver.close();
});

test("an output that can't be kept stays in its file, and the result says why", async () => {
  const outputs = new CommandOutputs(fileObjects({ dir: path.join(folder, "of-no-one") }));
  const file = path.join(folder, "1.log");
  await writeFile(file, "the full output");
  expect(await outputs.keep({ ...RESULT, fullOutputPath: file })).toEqual({
    ...RESULT,
    output: expect.stringMatching(
      /^cut\n\[The full output is on this machine only\. .*Expected this process to own/,
    ),
    fullOutputPath: file,
  });
  expect(existsSync(file)).toBe(true);
});

test("without a tool that reads it, an output stays in its file although the host has objects", async () => {
  const model = scriptedModel([
    scriptedToolCall("execute_command", { command: "seq 1 40000" }),
    scriptedToolCall("attempt_completion", { result: "Done." }),
  ]);
  const host = createHost({
    dataDir: folder,
    journal: () => memoryJournal(),
    objects: () => {
      throw new Error("No object is expected.");
    },
  });
  const tools = builtinTools().filter(({ name }) => name !== "read_artifact");
  const task = await host.create({ model, workspace: folder, tools });
  task.asks$.subscribe((ask) => {
    if (ask.kind === "command") ask.approve();
  });
  expect(await task.run("Go")).toMatchObject({ result: "Done." });
  expect(JSON.stringify(task.snapshot.context.conversation)).toMatch(/The full output is in [^\]]*\.log\]/);
  await host.closeAll();
});
