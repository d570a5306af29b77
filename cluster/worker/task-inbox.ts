import type { Task } from "signalbox";
import type { Inbox } from "../../ports/inbox.ts";
import { deliverInbox, type InboxDelivery } from "../../runtime/inbox/inbox-delivery.ts";
import { parseInboxCommand } from "../../wire/inbox.ts";
import type { TaskInbox } from "./worker.ts";

/** Options of {@link taskInbox}. */
export interface TaskInboxOptions {
  /** Called with each failure of the database, which is repeated, and with each command that is refused. */
  readonly onError?: (error: unknown, taskId: string) => void;
}

/** A delivery to an open task, and whether it took a cancel. */
interface OpenDelivery {
  readonly delivery: InboxDelivery;
  isCancelled: boolean;
}

/**
 * The inbox of a database, for a worker: `createWorker({ store, wakes, task, inbox: taskInbox(store.inbox) })`. Each command is
 * taken once, by whichever worker owns its task.
 */
export function taskInbox(inbox: Inbox, { onError }: TaskInboxOptions = {}): TaskInbox {
  const deliveries = new WeakMap<Task, OpenDelivery>();
  const open = (task: Task): OpenDelivery => {
    const report = (error: unknown): void => onError?.(error, task.id);
    const opened: OpenDelivery = {
      isCancelled: false,
      delivery: deliverInbox({
        task,
        inbox,
        onError: report,
        onTaken: ({ command }) => {
          const parsed = parseInboxCommand(command);
          if (parsed.ok && parsed.command.kind === "cancel") opened.isCancelled = true;
        },
        onRefused: (_, refusal) => report(new Error(`${refusal.code}: ${refusal.message}`)),
      }),
    };
    deliveries.set(task, opened);
    return opened;
  };
  return {
    watch: (listener) => inbox.watch(listener),
    async deliver(task) {
      const opened = deliveries.get(task) ?? open(task);
      await opened.delivery.taken();
      return !opened.isCancelled;
    },
  };
}
