import { open, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { filter, firstValueFrom } from "rxjs";
import { z } from "zod";
import type { ChatModel } from "../../actors/index.ts";
import { anthropic } from "../../adapters/index.ts";
import { createHost, type Task, type TaskOptions } from "../../runtime/index.ts";
import { allowEverything, askAPerson, builtinTools, defineTool } from "../../tools/index.ts";
import { type Commands, command, placesIn } from "../harness/index.ts";
import { callOf, scriptModel } from "../harness/script-model.ts";

const Place = z.object({ folder: z.string(), times: z.number() });

/** A task in a host of its own for as long as `work` takes. */
async function withTask<T>(
  folder: string,
  options: Omit<TaskOptions, "workspace">,
  work: (task: Task) => Promise<T>,
): Promise<T> {
  const { workspace, dataDir } = await placesIn(folder);
  const host = createHost({ dataDir });
  try {
    return await work(await host.create({ ...options, workspace }));
  } finally {
    await host.closeAll();
  }
}

/** Counts what the process syncs from here on. */
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

/** From each answer to the start of its tool: milliseconds, and how often the disk was waited for. */
async function answers(folder: string, times: number) {
  const ms: number[] = [];
  const syncs: number[] = [];
  const { workspace } = await placesIn(folder);
  const synced = await countSyncs(workspace);
  let answered = { at: 0, synced: 0 };
  const press = defineTool({
    name: "press",
    description: "Presses a button.",
    input: z.object({ button: z.number() }),
    effect: "writes",
    run: () => {
      ms.push(performance.now() - answered.at);
      syncs.push(synced() - answered.synced);
      return "Pressed.";
    },
  });
  const model = scriptModel((turn) =>
    turn < times
      ? callOf(`call_${turn}`, "press", { button: turn })
      : callOf("done", "attempt_completion", { result: "Done." }),
  );
  const limits = { requests: Number.MAX_SAFE_INTEGER };
  const options = { model, tools: [...builtinTools(), press], policy: askAPerson(), limits };
  await withTask(folder, options, async (task) => {
    task.asks$.subscribe((ask) => {
      // A person answers later than in the moment in which the ask is shown.
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

/** What the disk itself takes for a record of the usual length. */
async function bareSyncs(folder: string, times: number): Promise<readonly number[]> {
  const { workspace } = await placesIn(folder);
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

/** From the cancel of a task to its rest, in milliseconds, as a client sees it. */
async function cancel(task: Task): Promise<number> {
  const rest = task.rested();
  const before = performance.now();
  task.cancel();
  await rest;
  return performance.now() - before;
}

async function withDeadEndpoint<T>(
  work: (model: ChatModel, asked: () => Promise<void>) => Promise<T>,
): Promise<T> {
  let heard = (): void => {};
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    // It takes the request, and never answers.
    socket.once("data", () => heard());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const model = anthropic({ model: "bench-model", apiKey: "bench", baseURL: `http://127.0.0.1:${port}` });
  const asked = (): Promise<void> =>
    new Promise((resolve) => {
      heard = resolve;
    });
  try {
    return await work(model, asked);
  } finally {
    server.close();
  }
}

const DEAF = "trap '' TERM INT HUP; sleep 300 & echo $$ $!; while :; do sleep 1; done";

/** A command that hears no signal, and a child of it: how long the rest takes, and how long they live on. */
async function cancelDeaf(folder: string) {
  const model = scriptModel(() => callOf("call", "execute_command", { command: DEAF }));
  return withTask(folder, { model, policy: allowEverything() }, async (task) => {
    const grown = firstValueFrom(
      task.messages$.pipe(
        filter(({ ask, text }) => ask === "command_output" && /^\d+ \d+\n/.test(text ?? "")),
      ),
    );
    task.run("Go.").catch(() => undefined);
    const { text } = await grown;
    const pids = (text ?? "").trim().split(" ").map(Number);
    const before = performance.now();
    const restMs = await cancel(task);
    while ((await Promise.all(pids.map(isAlive))).includes(true)) await delay(10);
    return { restMs, goneMs: performance.now() - before };
  });
}

/** A process that ended, and that nobody has asked about yet, is a line in a table and no more. */
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
  answer: command(Place, ({ folder, times }) => answers(folder, times)),
  sync: command(Place, ({ folder, times }) => bareSyncs(folder, times)),
  "cancel-dead": command(Place, ({ folder, times }) =>
    withDeadEndpoint(async (model, asked) => {
      const restMs: number[] = [];
      for (let time = 0; time < times; time += 1) {
        const took = await withTask(path.join(folder, `dead-${time}`), { model }, async (task) => {
          const request = asked();
          task.run("Go.").catch(() => undefined);
          await request;
          return await cancel(task);
        });
        restMs.push(took);
      }
      return restMs;
    }),
  ),
  "cancel-deaf": command(Place, async ({ folder, times }) => {
    const ends: Awaited<ReturnType<typeof cancelDeaf>>[] = [];
    for (let time = 0; time < times; time += 1)
      ends.push(await cancelDeaf(path.join(folder, `deaf-${time}`)));
    return ends;
  }),
};
