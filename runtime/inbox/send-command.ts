import { randomUUID } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type { CommandOutcome, Inbox } from "../../ports/inbox.ts";
import type { Wakes } from "../../ports/wakes.ts";
import type { InboxCommandInput } from "../../wire/inbox.ts";

export interface SendOptions {
  readonly inbox: Pick<Inbox, "put" | "outcome" | "watch">;
  readonly wakes: Pick<Wakes, "wake">;
  readonly clock: Clock;
  /** How long to wait for the outcome, in ms. */
  readonly waitMs: number;
}

/** Put a command into the inbox of a task, wake it, and wait for the outcome. Undefined: no worker took it in time. */
export async function sendCommand(
  taskId: string,
  command: InboxCommandInput,
  { inbox, wakes, clock, waitMs }: SendOptions,
): Promise<CommandOutcome | undefined> {
  let resolveNext = (): void => {};
  let next = Promise.resolve();
  const expectNext = (): void => {
    next = new Promise((resolve) => {
      resolveNext = resolve;
    });
  };
  expectNext();
  const unwatch = inbox.watch({
    onAdded: () => {},
    onTaken: (taken) => {
      if (taken === taskId) resolveNext();
    },
    onGap: () => resolveNext(),
  });
  let isLate = false;
  const cancelTimer = clock.after(waitMs, () => {
    isLate = true;
    resolveNext();
  });
  try {
    const position = await inbox.put(taskId, randomUUID(), command);
    await wakes.wake(taskId);
    for (;;) {
      const outcome = await inbox.outcome(taskId, position);
      if (outcome !== undefined || isLate) return outcome;
      await next;
      expectNext();
    }
  } finally {
    cancelTimer();
    unwatch();
  }
}
