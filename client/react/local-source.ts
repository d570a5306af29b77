import { answeredWhereShown } from "../../runtime/task/run.ts";
import type { Task } from "../../runtime/task/task.ts";
import { type ActionResult, DONE, type TaskSource, takesPrompt, viewCache } from "./task-source.ts";

/** A task of this process. A message that starts or continues it is done when the task settles. */
export function localSource(task: Task): TaskSource {
  const view = viewCache();
  return {
    read: () => view(task.log, task.snapshot.context.queue),
    subscribe(listener) {
      const subscription = task.events$.subscribe(listener);
      return () => subscription.unsubscribe();
    },
    factsOf(askId) {
      const ask = task.asks.find(({ id }) => id === askId);
      if (ask === undefined || !("rules" in ask)) return {};
      const { rules, paths, diff } = ask;
      return { rules, paths, ...(diff !== undefined && { diff }) };
    },
    answer: async (askId, answer) => task.answer(askId, answer),
    async send(text, images = []) {
      if (takesPrompt(task.state)) return run(task, text, images);
      const result = task.queue(text, images);
      return result.ok ? DONE : result;
    },
    async cancel() {
      task.cancel();
      return DONE;
    },
  };
}

async function run(task: Task, text: string, images: readonly string[]): Promise<ActionResult> {
  try {
    await task.run(text, { images, onAsk: answeredWhereShown });
    return DONE;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { ok: false, code: error.code, message: error.message };
  }
}

/** The classes of errors are not imported: they would bring the runtime into a page. */
const isRefusal = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && "code" in error && typeof error.code === "string";
