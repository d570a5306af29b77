import { readdir, readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { NO_USAGE } from "../../machines/task/request.ts";
import type { ChatModel, ModelEvent } from "../../ports/model.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import type { Task } from "../../runtime/task/task.ts";
import { scriptedToolCall } from "../../testing/scripted-model.ts";
import { allowEverything } from "../../tools/index.ts";
import { type Commands, command, createFolders, heldBytes } from "../harness/index.ts";

const START = "Go.";
/** No other process of the machine sleeps for as long. */
const SLEEP = `sleep 9${process.pid}`;
const TIMEOUT_MS = 120_000;
/** A response with more calls is a larger burst of events than a journal takes. */
const OF_ONE_PARENT = 100;

type Work = "streams" | "runs a command";

/** A model whose first response starts subtasks. Each of them works until it is cancelled. */
const fanOut = (subtasks: number, work: Work): ChatModel => ({
  id: "scripted",
  async *stream({ messages }, signal): AsyncGenerator<ModelEvent> {
    const isParent = JSON.stringify(messages[0]).includes(START);
    if (isParent)
      for (let number = 0; number < subtasks; number += 1)
        yield* scriptedToolCall(
          "new_task",
          { mode: "code", message: `Do part ${number}.` },
          `toolu_${number}`,
        );
    else if (work === "runs a command") yield* scriptedToolCall("execute_command", { command: SLEEP });
    else {
      yield { type: "text.delta", text: "All work and no play. " };
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      return;
    }
    yield { type: "finished", stopReason: "tool_use", usage: NO_USAGE };
  },
});

/** The tasks of a parent with this many subtasks, once all of them work. */
async function startAll(host: Host, workspace: string, subtasks: number, work: Work) {
  const limits = { calls: subtasks, parallelSubtasks: subtasks };
  const model = fanOut(subtasks, work);
  const permissions = { judge: allowEverything() };
  const parent = await host.create({ model, workspace, limits, permissions });
  const children: Task[] = [];
  host.opened$.subscribe((task) => {
    if (task.rootId === parent.id) children.push(task);
  });
  const end = parent.run(START);
  const isWorking = ({ snapshot }: Task) =>
    work === "streams"
      ? snapshot.context.log.at(-1)?.say === "text"
      : snapshot.context.turn.calls.some(({ phase }) => phase === "running");
  await until(() => children.length === subtasks && children.every(isWorking));
  return { parent, children, end };
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Expected the subtasks to work within ${TIMEOUT_MS} ms.`);
    await setTimeout(5);
  }
}

async function sleepers(): Promise<number> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commandLines = await Promise.all(
    ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")),
  );
  return commandLines.filter((line) => line === `${SLEEP.replace(" ", "\0")}\0`).length;
}

const Size = z.object({ folder: z.string(), subtasks: z.number() });

export const commands: Commands = {
  /** The memory that each working subtask holds, and the CPU time of the process in a second in which nothing happens. */
  hold: command(Size, async ({ folder, subtasks }) => {
    const { workspace, dataDir } = await createFolders(folder);
    const host = createHost({ dataDir });
    const before = await heldBytes();
    for (let started = 0; started < subtasks; started += OF_ONE_PARENT)
      await startAll(host, workspace, Math.min(OF_ONE_PARENT, subtasks - started), "streams");
    const bytes = (await heldBytes()) - before;
    const idle = process.cpuUsage();
    await setTimeout(1000);
    const { user, system } = process.cpuUsage(idle);
    await host.closeAll();
    return { bytesPerTask: bytes / subtasks, idleCpuMs: (user + system) / 1000 };
  }),

  /** Cancel a parent whose subtasks run commands: the ms until all of them rest, and until no process is left. */
  cancel: command(Size, async ({ folder, subtasks }) => {
    const { workspace, dataDir } = await createFolders(folder);
    const host = createHost({ dataDir });
    const { parent, children, end } = await startAll(host, workspace, subtasks, "runs a command");
    await until(async () => (await sleepers()) === subtasks);
    const start = performance.now();
    parent.cancel();
    const stoppedMs = performance.now() - start;
    await Promise.all(children.map((task) => task.settled().catch(() => undefined)));
    await end;
    const restMs = performance.now() - start;
    await until(async () => (await sleepers()) === 0);
    const goneMs = performance.now() - start;
    await host.closeAll();
    return { stoppedMs, restMs, goneMs };
  }),
};
