import { filter, firstValueFrom } from "rxjs";
import { NO_USAGE } from "../../machines/task/request.ts";
import type { ChatModel, ModelEvent } from "../../ports/model.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import type { Task } from "../../runtime/task/task.ts";
import { scriptedToolCall } from "../../testing/scripted-model.ts";
import { allowEverything } from "../../tools/index.ts";
import { createFolders } from "../harness/index.ts";

/** The mode of the subtask that a task of this mode starts next. Tasks of other modes get no response. */
const STARTED: Readonly<Record<string, readonly string[]>> = { code: ["ask", "debug"], debug: ["architect"] };

/** A model whose tasks start subtasks, and which never responds to the last of them. */
class TreeModel implements ChatModel {
  readonly id = "bench-model";
  requests = 0;
  readonly #silent = new Map<string, () => void>();

  /** Resolves at the next request of a task of this mode. */
  requested(mode: string): Promise<void> {
    return new Promise((resolve) => this.#silent.set(mode, resolve));
  }

  async *stream(
    { messages }: Parameters<ChatModel["stream"]>[0],
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    this.requests += 1;
    const mode = [...JSON.stringify(messages).matchAll(/# Current mode\\n([\w-]+)/g)].at(-1)?.[1] ?? "";
    const turn = messages.filter(({ role }) => role === "assistant").length;
    const started = STARTED[mode]?.[turn];
    if (started === undefined) {
      this.#silent.get(mode)?.();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      return;
    }
    const input = { mode: started, message: `Work in ${started}.`, todos: null };
    yield* scriptedToolCall("new_task", input, `call_${turn}`);
    yield { type: "finished", stopReason: "tool_use", usage: NO_USAGE };
  }
}

/**
 * Cancel the root of a tree: three nested tasks, of which the last one waits for the endpoint, and a subtask that no task
 * waits for, which does too. Returns the milliseconds until every task has settled.
 */
export async function cancelTree(folder: string): Promise<number> {
  const { workspace, dataDir } = await createFolders(folder);
  const model = new TreeModel();
  const host = createHost({ dataDir });
  try {
    const root = await host.create({ model, workspace, permissions: { judge: allowEverything() } });
    const tasks = await startTree(host, root, model);
    const { requests } = model;
    const settled = Promise.all(tasks.map((task) => task.settled()));
    const before = performance.now();
    root.cancel();
    await settled;
    const ms = performance.now() - before;
    await host.closeAll();
    if (model.requests !== requests)
      throw new Error(`${model.requests - requests} requests were sent after the cancel: expected none.`);
    return ms;
  } finally {
    await host.closeAll();
  }
}

async function startTree(host: Host, root: Task, model: TreeModel): Promise<readonly Task[]> {
  const opened = firstValueFrom(host.opened$.pipe(filter(({ parent }) => parent !== undefined)));
  const working = model.requested("ask");
  root.run("Go.").catch(() => undefined);
  const aside = await opened;
  await working;
  const deepest = model.requested("architect");
  aside.cancel();
  await deepest;
  const resumed = model.requested("ask");
  aside.run("Go on.").catch(() => undefined);
  await resumed;
  const tasks = [...host.tasks.values()];
  if (tasks.length !== 4) throw new Error(`${tasks.length} tasks are open: expected 4.`);
  return tasks;
}
