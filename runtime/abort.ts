import type { Task } from "./task/task.ts";

/** Close a task that was aborted while it was created. @throws the reason of the signal */
export async function discard(task: Task, signal: AbortSignal): Promise<never> {
  await task.close();
  throw signal.reason;
}

/** Cancel the task when the signal aborts, until it is closed. One that has not started is closed. */
export function cancelOnAbort(task: Task, signal: AbortSignal, onError: (error: unknown) => void): void {
  const onAbort = (): void => {
    if (task.state.state === "no_task") task.close().catch(onError);
    else task.cancel();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  task.events$.subscribe({ complete: () => signal.removeEventListener("abort", onAbort) });
}
