import { filter, firstValueFrom, map } from "rxjs";
import type { ChatModel } from "../../ports/model.ts";
import { createHost } from "../../runtime/host.ts";
import { deliverInbox } from "../../runtime/inbox/inbox-delivery.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import { openPostgres } from "../../store/postgres/store.ts";
import { type BenchResult, formatNumber, limited, median, quantile } from "../harness/index.ts";

const LEASE_MS = 3_600_000;
const LIMIT_MS = 50;

/** A model whose response never ends. */
const endless: ChatModel = {
  id: "endless",
  async *stream(_, signal) {
    yield { type: "text.delta", text: "Working." };
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  },
};

/**
 * Time from a cancel that another worker puts into the inbox until the owner's record of it is durable. The task streams a
 * response, and continues by a message after each cancel.
 */
export async function cancels(url: string, count: number): Promise<readonly BenchResult[]> {
  const owner = await openPostgres({ url, leaseMs: LEASE_MS });
  const sender = await openPostgres({ url, leaseMs: LEASE_MS });
  const errors: unknown[] = [];
  const host = createHost({ journal: owner.journal, onError: (error) => errors.push(error) });
  try {
    const task = await host.create({ id: "cancelled", model: endless, workspace: false });
    deliverInbox({ task, inbox: owner.inbox, onError: (error) => errors.push(error) });
    const next = (fits: (commit: TaskCommit["commit"]) => boolean): Promise<number> =>
      firstValueFrom(
        task.events$.pipe(
          filter(({ commit }) => fits(commit)),
          map(() => performance.now()),
        ),
      );
    const streams = () =>
      next(({ log }) => log.some((event) => "message" in event && event.message.partial === true));
    const ms: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const streaming = streams();
      const command = n === 0 ? { kind: "start", prompt: "Go" } : { kind: "message", text: "Go on" };
      await sender.inbox.put(task.id, `${command.kind}-${n}`, command);
      await streaming;
      const cancelled = next(({ cause }) => cause?.type === "task.cancel");
      const began = performance.now();
      await sender.inbox.put(task.id, `cancel-${n}`, { kind: "cancel" });
      ms.push((await cancelled) - began);
    }
    if (errors.length > 0) throw new AggregateError(errors, "The task or its inbox failed.");
    const detail = `p50 ${formatNumber(median(ms))} ms, p99 ${formatNumber(quantile(ms, 0.99))} ms of ${count} cancels, durable when measured`;
    return [limited("cancel by an inbox in PostgreSQL, p99", quantile(ms, 0.99), "ms", LIMIT_MS, detail)];
  } finally {
    await host.closeAll();
    await owner.close();
    await sender.close();
  }
}
