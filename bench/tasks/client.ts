import { readdir } from "node:fs/promises";
import { z } from "zod";
import type { ModelEvent } from "../../actors/index.ts";
import { createHost, type Host } from "../../runtime/index.ts";
import { scriptedModel, scriptedToolCall } from "../../testing/scripted-model.ts";
import { type Commands, command, createFolders, heldBytes } from "../harness/index.ts";

/** The number of messages of a task with this many blocks: with prompt, request, result and ask. */
const MESSAGES = 12;
const BLOCKS = MESSAGES - 4;
const CHARS = 4096;
/** How many tasks run at the same time. */
const AT_ONCE = 32;

/** A different response for each task: equal texts would be stored once. */
function response(task: number): readonly ModelEvent[] {
  const blocks = Array.from({ length: BLOCKS }, (_, block): readonly ModelEvent[] => [
    { type: "text.delta", text: `${task}.${block} `.padEnd(CHARS / BLOCKS, "All work and no play. ") },
    { type: "block.end" },
  ]);
  return [...blocks.flat(), ...scriptedToolCall("attempt_completion", { result: "Done." }, "done")];
}

async function runOne(host: Host, workspace: string, number: number): Promise<void> {
  const task = await host.create({ model: scriptedModel(() => response(number)), workspace });
  const { state, ask } = await task.run("Go.");
  if (state !== "idle" || ask !== "completion_result" || task.log.length !== MESSAGES)
    throw new Error(
      `Task ${number} is ${state} on ${ask} with ${task.log.length} messages: expected ${MESSAGES}.`,
    );
}

async function runMany(host: Host, workspace: string, from: number, count: number): Promise<void> {
  let next = from;
  const work = async (): Promise<void> => {
    while (next < from + count) {
      next += 1;
      await runOne(host, workspace, next - 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** The resources that keep the process alive, and its open files. */
async function openResources(): Promise<readonly string[]> {
  const files = process.platform === "linux" ? await readdir("/proc/self/fd") : [];
  return [...process.getActiveResourcesInfo(), ...files.map(() => "file")].toSorted();
}

/** The resources of `now` that are not in `before`. */
function added(before: readonly string[], now: readonly string[]): readonly string[] {
  const left = [...before];
  return now.filter((resource) => {
    const index = left.indexOf(resource);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

export const commands: Commands = {
  /** Run this many tasks until they settle, and measure what each of them retains. */
  settle: command(
    z.object({ folder: z.string(), tasks: z.number(), warm: z.number() }),
    async ({ folder, tasks, warm }) => {
      const { workspace, dataDir } = await createFolders(folder);
      const host = createHost({ dataDir });
      const openBefore = await openResources();
      // The first tasks also load and compile code: they are not counted.
      await runMany(host, workspace, 0, warm);
      const before = await heldBytes();
      await runMany(host, workspace, warm, tasks);
      const bytes = (await heldBytes()) - before;
      const open = added(openBefore, await openResources());
      return { bytesPerTask: bytes / tasks, textPerTask: CHARS, open, kept: host.tasks.size };
    },
  ),
};
