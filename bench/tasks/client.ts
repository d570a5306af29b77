import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { NO_USAGE } from "../../machines/task/request.ts";
import type { ModelEvent } from "../../ports/model.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import { scriptedModel, scriptedToolCall } from "../../testing/scripted-model.ts";
import { type Commands, command, createFolders, heldBytes } from "../harness/index.ts";

/** The number of messages of a task with this many blocks: with prompt, request, result and ask. */
const MESSAGES = 12;
const BLOCKS = MESSAGES - 4;
const CHARS = 4096;
/** Tasks are passivated by the bench. */
const NEVER_MS = 1e9;
/** How many tasks run at the same time. */
const AT_ONCE = 32;

/** A different response for each task: equal texts would be stored once. */
function response(task: number, count = BLOCKS): readonly ModelEvent[] {
  const blocks = Array.from({ length: count }, (_, block): readonly ModelEvent[] => [
    { type: "text.delta", text: `${task}.${block} `.padEnd(CHARS / BLOCKS, "All work and no play. ") },
    { type: "block.end" },
  ]);
  return [...blocks.flat(), ...scriptedToolCall("attempt_completion", { result: "Done." }, "done")];
}

/** The events in portions that the journal keeps up with. */
async function* paced(events: readonly ModelEvent[]): AsyncGenerator<ModelEvent> {
  for (const [index, event] of events.entries()) {
    if (index % 100 === 0) await setTimeout(20);
    yield event;
  }
  yield { type: "finished", stopReason: "tool_use", usage: NO_USAGE };
}

async function runOne(host: Host, workspace: string, number: number): Promise<void> {
  const task = await host.create({ model: scriptedModel(() => response(number)), workspace });
  const { state, ask } = await task.run("Go.");
  if (state !== "idle" || ask !== "completion" || task.log.length !== MESSAGES)
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
      const host = createHost({ dataDir, passivateAfterMs: NEVER_MS });
      const openBefore = await openResources();
      // The first tasks also load and compile code: they are not counted.
      await runMany(host, workspace, 0, warm);
      const before = await heldBytes();
      await runMany(host, workspace, warm, tasks);
      const bytes = (await heldBytes()) - before;
      const open = added(openBefore, await openResources());
      const kept = host.tasks.size;
      for (const task of host.tasks.values()) await task.passivate();
      const passive = (await heldBytes()) - before;
      return {
        bytesPerTask: bytes / tasks,
        bytesPerPassiveTask: passive / tasks,
        textPerTask: CHARS,
        open,
        kept,
      };
    },
  ),

  /** Activate a task of this many messages this many times; its times in ms, with and without its copy. */
  activate: command(
    z.object({ folder: z.string(), messages: z.number(), times: z.number() }),
    async ({ folder, messages, times }) => {
      const { workspace, dataDir } = await createFolders(folder);
      const host = createHost({ dataDir, passivateAfterMs: NEVER_MS });
      const model = scriptedModel([() => paced(response(0, messages - 4))]);
      const task = await host.create({ model, workspace });
      await task.run("Go.");
      await task.flushed();
      const copy = path.join(dataDir, "tasks", task.id, "passive.json");
      const activation = async (isCopied: boolean): Promise<number> => {
        if (!(await task.passivate())) throw new Error("Expected a task that can be passivated.");
        if (!isCopied) await rm(copy);
        const start = performance.now();
        if (task.log.length !== messages)
          throw new Error(`Expected ${messages} messages, got ${task.log.length}.`);
        return performance.now() - start;
      };
      const copied: number[] = [];
      const replayed: number[] = [];
      for (let time = 0; time < times; time += 1) {
        copied.push(await activation(true));
        replayed.push(await activation(false));
      }
      return { copied, replayed };
    },
  ),
};
