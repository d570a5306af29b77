import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { merge, mergeMap, of } from "rxjs";
import type { ChatModel, ModelEvent } from "../../ports/model.ts";
import { createHost } from "../../runtime/host.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import { MemoryStore, memoryJournal } from "../../store/index.ts";
import { allowReadsInside, askAPerson, builtinTools, firstOf } from "../../tools/index.ts";
import { call, complete, deferred } from "../support/model.ts";

const TASK_ID = "task";
const USAGE = { tokensIn: 10, tokensOut: 5, cacheWrites: 0, cacheReads: 0, cost: 0.01 };

/** A response of the corpus task: some text and one tool call. */
async function* respond(text: string, name: string, input: Record<string, unknown>, id: string) {
  yield { type: "text.delta", text } as const;
  yield { type: "block.end" } as const;
  yield* call(name, input, id);
  yield { type: "finished", stopReason: "tool_use", usage: USAGE } as const;
}

const TURNS: readonly (() => AsyncIterable<ModelEvent>)[] = [
  () => respond("I read the notes.", "read_file", { path: "notes.md" }, "toolu_read"),
  () => respond("I write a file.", "write_to_file", { path: "out.txt", content: "one\n" }, "toolu_write"),
  () => respond("I run a command.", "execute_command", { command: "echo said" }, "toolu_command"),
  () => respond("A subtask.", "new_task", { mode: "debug", message: "Do your part." }, "toolu_task"),
  () => respond("Another.", "write_to_file", { path: "never.txt", content: "no\n" }, "toolu_never"),
  () => complete("The task is done."),
];

/**
 * Write the journals of a task and its subtask to a folder of the corpus; return the folder. The task reads, writes with
 * an approval, runs a command, gets a queued message, delegates, is cancelled, completes, and is killed while its last
 * response streams.
 */
export async function writeCorpus(name: string): Promise<string> {
  const folder = fileURLToPath(new URL(`../fixtures/journals/${name}/`, import.meta.url));
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "signalbox-corpus-")));
  const workspace = path.join(base, "workspace");
  const stores = new Map<string, MemoryStore>();
  const killed = deferred();
  try {
    await mkdir(workspace);
    await writeFile(path.join(workspace, "notes.md"), "A note.\n");
    const host = createHost({
      dataDir: path.join(base, "data"),
      journal: (id) => {
        const store = stores.get(id) ?? new MemoryStore();
        stores.set(id, store);
        return memoryJournal({ store });
      },
    });
    const task = await host.create({
      id: TASK_ID,
      model: modelOf(killed.resolve),
      workspace,
      checkpoints: true,
      tools: builtinTools(),
      permissions: { judge: firstOf(allowReadsInside(), askAPerson()) },
    });
    const asks = merge(host.opened$, of(task))
      .pipe(mergeMap((each) => each.asks$))
      .subscribe((ask) => answer(task, ask));
    await task.run("Do all of it.");
    await task.run("Go on.");
    await task.flushed();
    task.run("Say more.").catch(() => undefined);
    await killed.promise;
    const journals = [...stores].map(([id, store]) => [id, Buffer.concat(store.chunks())] as const);
    asks.unsubscribe();
    await host.closeAll();
    await mkdir(folder, { recursive: true });
    for (const [id, bytes] of journals) await writeFile(path.join(folder, `${id}.jsonl`), bytes);
  } finally {
    await rm(base, { recursive: true, force: true });
  }
  return folder;
}

function modelOf(onLast: () => void): ChatModel {
  return {
    id: "scripted",
    async *stream({ messages }, signal) {
      if (JSON.stringify(messages[0]).includes("Do your part.")) return yield* complete("The part is done.");
      const turn = TURNS[messages.filter(({ role }) => role === "assistant").length];
      if (turn !== undefined) return yield* turn();
      yield { type: "text.delta", text: "This response is never finished. ".repeat(4) };
      setTimeout(onLast, 200);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  };
}

function answer(task: Task, ask: Ask): void {
  if (ask.kind === "completion") ask.approve();
  if (ask.kind !== "tool" && ask.kind !== "command") return;
  if (ask.text.includes("out.txt")) task.queue("Also mention the date.");
  if (ask.text.includes("never.txt")) task.cancel();
  else ask.approve();
}
