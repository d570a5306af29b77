import { randomUUID } from "node:crypto";
import { WakeSignal } from "../../actors/protocol/wake-signal.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CommandOutcome, Inbox } from "../../ports/inbox.ts";
import type { Wakes } from "../../ports/wakes.ts";
import type { InboxCommandInput } from "../../wire/inbox.ts";

export interface SendOptions {
  readonly inbox: Pick<Inbox, "put" | "outcome" | "watch">;
  readonly wakes: Pick<Wakes, "wake">;
  readonly clock: Clock;
  /** The pool of a task that the command starts. */
  readonly pool?: string;
  /** How long to wait for the outcome, in ms. */
  readonly waitMs: number;
}

/** Put a command into the inbox of a task, wake it, and wait for the outcome. Undefined: no worker took it in time. */
export async function sendCommand(
  taskId: string,
  command: InboxCommandInput,
  { inbox, wakes, pool, clock, waitMs }: SendOptions,
): Promise<CommandOutcome | undefined> {
  const news = new WakeSignal();
  const unwatch = inbox.watch({
    onAdded: () => {},
    onTaken: (taken) => {
      if (taken === taskId) news.wake();
    },
    onGap: news.wake,
  });
  const cancelTimer = clock.after(waitMs, news.abort);
  try {
    const position = await inbox.put(taskId, randomUUID(), command, pool);
    await wakes.wake(taskId);
    for (;;) {
      const outcome = await inbox.outcome(taskId, position);
      if (outcome !== undefined || news.isAborted) return outcome;
      await news.wait();
    }
  } finally {
    cancelTimer();
    unwatch();
  }
}
