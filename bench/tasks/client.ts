import { readdir } from "node:fs/promises";
import { z } from "zod";
import type { ModelEvent } from "../../actors/index.ts";
import { createHost, type Host } from "../../runtime/index.ts";
import { type Commands, command, held, placesIn } from "../harness/index.ts";
import { callOf, scriptModel } from "../harness/script-model.ts";

/** So many rows has a task that says something in so many blocks: its prompt, the request, the result, the ask. */
const ROWS = 12;
const BLOCKS = ROWS - 4;
const CHARS = 4096;
/** How many work at the same time. */
const AT_ONCE = 32;

/** An answer of its own for each task: equal texts would be kept once. */
function answer(task: number): readonly ModelEvent[] {
  const blocks = Array.from({ length: BLOCKS }, (_, block): readonly ModelEvent[] => [
    { type: "text.delta", text: `${task}.${block} `.padEnd(CHARS / BLOCKS, "All work and no play. ") },
    { type: "block.end" },
  ]);
  return [...blocks.flat(), ...callOf("done", "attempt_completion", { result: "Done." })];
}

async function restOne(host: Host, workspace: string, number: number): Promise<void> {
  const task = await host.create({ model: scriptModel(() => answer(number)), workspace });
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
  /** Brings so many tasks to rest, and tells what each of them keeps. */
  rest: command(
    z.object({ folder: z.string(), tasks: z.number(), warm: z.number() }),
    async ({ folder, tasks, warm }) => {
      const { workspace, dataDir } = await placesIn(folder);
      const host = createHost({ dataDir });
      const openBefore = await openThings();
      // What the first ones load and compile is not theirs.
      await restMany(host, workspace, 0, warm);
      const before = await held();
      await restMany(host, workspace, warm, tasks);
      const bytes = (await held()) - before;
      const open = beyond(openBefore, await openThings());
      return { bytesPerTask: bytes / tasks, textPerTask: CHARS, open, kept: host.tasks.size };
    },
  ),
};
