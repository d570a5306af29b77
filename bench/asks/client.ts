import { open, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { filter, firstValueFrom } from "rxjs";
import { z } from "zod";
import { anthropic } from "../../adapters/index.ts";
import type { ChatModel } from "../../ports/model.ts";
import { createHost } from "../../runtime/host.ts";
import type { ReopenOptions } from "../../runtime/options.ts";
import type { Task } from "../../runtime/task/task.ts";
import { scriptedModel, scriptedToolCall } from "../../testing/scripted-model.ts";
import { allowEverything, askAPerson, builtinTools, defineTool } from "../../tools/index.ts";
import { type Commands, command, createFolders } from "../harness/index.ts";
import { cancelTree } from "./cancel-tree.ts";

const Args = z.object({ folder: z.string(), times: z.number() });

/** Run `work` with a task in a new host, and close the host. */
async function withTask<T>(
  folder: string,
  options: ReopenOptions,
  work: (task: Task) => Promise<T>,
): Promise<T> {
  const { workspace, dataDir } = await createFolders(folder);
  const host = createHost({ dataDir });
  try {
    return await work(await host.create({ ...options, workspace }));
  } finally {
    await host.closeAll();
  }
}

/** Count the syncs of the process from now on. */
async function countSyncs(folder: string): Promise<() => number> {
  const handle = await open(folder, "r");
  const methods: { datasync(): Promise<void>; sync(): Promise<void> } = Object.getPrototypeOf(handle);
  await handle.close();
  let syncs = 0;
  for (const name of ["datasync", "sync"] as const) {
    const original = methods[name];
    methods[name] = function (this: unknown) {
      syncs += 1;
      return original.call(this);
    };
  }
  return () => syncs;
}

/** From each answer to the start of its tool: milliseconds, and number of disk syncs. */
async function answers(folder: string, times: number) {
  const ms: number[] = [];
  const syncs: number[] = [];
  const { workspace } = await createFolders(folder);
  const synced = await countSyncs(workspace);
  let answered = { at: 0, synced: 0 };
  const press = defineTool({
    name: "press",
    description: "Presses a button.",
    inputSchema: z.object({ button: z.number() }),
    effect: "writes",
    execute: () => {
      ms.push(performance.now() - answered.at);
      syncs.push(synced() - answered.synced);
      return "Pressed.";
    },
  });
  const model = scriptedModel((turn) =>
    turn < times
      ? scriptedToolCall("press", { button: turn }, `call_${turn}`)
      : scriptedToolCall("attempt_completion", { result: "Done." }, "done"),
  );
  const limits = { requests: Number.MAX_SAFE_INTEGER };
  const options = { model, tools: [...builtinTools(), press], permissions: { judge: askAPerson() }, limits };
  await withTask(folder, options, async (task) => {
    task.asks$.subscribe((ask) => {
      // A user answers later than the ask is shown.
      if (ask.kind === "tool") {
        setImmediate(() => {
          answered = { at: performance.now(), synced: synced() };
          ask.approve();
        });
      }
    });
    await task.run("Go.");
  });
  return { ms, syncs };
}

/** The time of a plain write and sync of a typical record. */
async function bareSyncs(folder: string, times: number): Promise<readonly number[]> {
  const { workspace } = await createFolders(folder);
  const handle = await open(path.join(workspace, "bare"), "a");
  const line = Buffer.alloc(400, "x");
  const ms: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const before = performance.now();
    await handle.write(line);
    await handle.datasync();
    ms.push(performance.now() - before);
  }
  await handle.close();
  return ms;
}

/** Milliseconds from the cancel of a task until it settles, as a client sees it. */
async function cancel(task: Task): Promise<number> {
  const settled = task.settled();
  const before = performance.now();
  task.cancel();
  await settled;
  return performance.now() - before;
}

async function withDeadEndpoint<T>(
  work: (model: ChatModel, requested: () => Promise<void>) => Promise<T>,
): Promise<T> {
  let onRequest = (): void => {};
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    // It accepts the request, and never responds.
    socket.once("data", () => onRequest());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const model = anthropic({ model: "bench-model", apiKey: "bench", baseURL: `http://127.0.0.1:${port}` });
  const requested = (): Promise<void> =>
    new Promise((resolve) => {
      onRequest = resolve;
    });
  try {
    return await work(model, requested);
  } finally {
    server.close();
  }
}

const UNRESPONSIVE = "trap '' TERM INT HUP; sleep 300 & echo $$ $!; while :; do sleep 1; done";

/** Cancel a command that ignores signals, with a child process: times until the task settles, and until both are gone. */
async function cancelUnresponsive(folder: string) {
  const model = scriptedModel(() => scriptedToolCall("execute_command", { command: UNRESPONSIVE }, "call"));
  return withTask(folder, { model, permissions: { judge: allowEverything() } }, async (task) => {
    const grown = firstValueFrom(
      task.messages$.pipe(
        filter(({ ask, text }) => ask === "command_output" && /^\d+ \d+\n/.test(text ?? "")),
      ),
    );
    task.run("Go.").catch(() => undefined);
    const { text } = await grown;
    const pids = (text ?? "").trim().split(" ").map(Number);
    const before = performance.now();
    const settledMs = await cancel(task);
    while ((await Promise.all(pids.map(isAlive))).includes(true)) await delay(10);
    return { settledMs, goneMs: performance.now() - before };
  });
}

/** Whether a process is running. A zombie is not. */
async function isAlive(pid: number): Promise<boolean> {
  if (process.platform === "linux") {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    return stat !== "" && !/\) [ZX] /.test(stat);
  }
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export const commands: Commands = {
  answer: command(Args, ({ folder, times }) => answers(folder, times)),
  sync: command(Args, ({ folder, times }) => bareSyncs(folder, times)),
  "cancel-dead": command(Args, ({ folder, times }) =>
    withDeadEndpoint(async (model, requested) => {
      const settledMs: number[] = [];
      for (let time = 0; time < times; time += 1) {
        const took = await withTask(path.join(folder, `dead-${time}`), { model }, async (task) => {
          const request = requested();
          task.run("Go.").catch(() => undefined);
          await request;
          return await cancel(task);
        });
        settledMs.push(took);
      }
      return settledMs;
    }),
  ),
  "cancel-tree": command(Args, async ({ folder, times }) => {
    const settledMs: number[] = [];
    for (let time = 0; time < times; time += 1)
      settledMs.push(await cancelTree(path.join(folder, `tree-${time}`)));
    return settledMs;
  }),
  "cancel-unresponsive": command(Args, async ({ folder, times }) => {
    const ends: Awaited<ReturnType<typeof cancelUnresponsive>>[] = [];
    for (let time = 0; time < times; time += 1)
      ends.push(await cancelUnresponsive(path.join(folder, `unresponsive-${time}`)));
    return ends;
  }),
};
