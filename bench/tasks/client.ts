import { readdir } from "node:fs/promises";
import { z } from "zod";
import type { ModelEvent } from "../../actors/index.ts";
import { createHost, type Host } from "../../runtime/index.ts";
import { scriptedModel, scriptedToolCall } from "../../testing/scripted-model.ts";
import { type Commands, command, createFolders, heldBytes } from "../harness/index.ts";

/** The number of messages of a task with this many blocks: with prompt, request, result and ask. */
const ROWS = 12;
const BLOCKS = ROWS - 4;
const CHARS = 4096;
/** How many work at the same time. */
const AT_ONCE = 32;

/** A different response for each task: equal texts would be stored once. */
function answer(task: number): readonly ModelEvent[] {
  const blocks = Array.from({ length: BLOCKS }, (_, block): readonly ModelEvent[] => [
    { type: "text.delta", text: `${task}.${block} `.padEnd(CHARS / BLOCKS, "All work and no play. ") },
    { type: "block.end" },
  ]);
  return [...blocks.flat(), ...scriptedToolCall("attempt_completion", { result: "Done." }, "done")];
}

async function restOne(host: Host, workspace: string, number: number): Promise<void> {
  const task = await host.create({ model: scriptedModel(() => answer(number)), workspace });
  const { state, ask } = await task.run("Go.");
  if (state !== "idle" || ask !== "completion_result" || task.log.length !== ROWS)
    throw new Error(
      `Task ${number} rests ${state} on ${ask} with ${task.log.length} rows: expected ${ROWS}.`,
    );
}

async function restMany(host: Host, workspace: string, from: number, count: number): Promise<void> {
  let next = from;
  const work = async (): Promise<void> => {
    while (next < from + count) {
      next += 1;
      await restOne(host, workspace, next - 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** What keeps a process alive, and the files that it has open. */
async function openThings(): Promise<readonly string[]> {
  const files = process.platform === "linux" ? await readdir("/proc/self/fd") : [];
  return [...process.getActiveResourcesInfo(), ...files.map(() => "file")].toSorted();
}

/** What is there now beyond what was there before. */
function beyond(before: readonly string[], now: readonly string[]): readonly string[] {
  const left = [...before];
  return now.filter((thing) => {
    const place = left.indexOf(thing);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}

export const commands: Commands = {
  /** Run this many tasks until they settle, and measure what each of them retains. */
  rest: command(
    z.object({ folder: z.string(), tasks: z.number(), warm: z.number() }),
    async ({ folder, tasks, warm }) => {
      const { workspace, dataDir } = await createFolders(folder);
      const host = createHost({ dataDir });
      const openBefore = await openThings();
      // What the first ones load and compile is not theirs.
      await restMany(host, workspace, 0, warm);
      const before = await heldBytes();
      await restMany(host, workspace, warm, tasks);
      const bytes = (await heldBytes()) - before;
      const open = beyond(openBefore, await openThings());
      return { bytesPerTask: bytes / tasks, textPerTask: CHARS, open, kept: host.tasks.size };
    },
  ),
};
