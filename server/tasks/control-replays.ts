import type { JournalDriver } from "../../ports/journal.ts";
import { replayShipped, shippedNames } from "../../runtime/control-replay/shipped.ts";
import type { Host } from "../../runtime/host.ts";
import { readTreeOf } from "../../store/exchange/recorded-tree.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";
import type { ControlReplayBody, ControlReplayed } from "../../wire/http/control-replay.ts";
import { ServerError } from "../error.ts";

interface ControlReplaysOptions {
  readonly host: Host;
  readonly history: TaskHistory;
  readonly journal: (taskId: string) => Pick<JournalDriver, "path" | "read">;
}

/** Judges recorded tasks again, also open ones, by other control protocols. Nothing runs. */
export class ControlReplays {
  readonly #options: ControlReplaysOptions;

  constructor(options: ControlReplaysOptions) {
    this.#options = options;
  }

  /** The names of the protocols. */
  get protocols(): readonly string[] {
    return shippedNames();
  }

  /** @throws ServerError `BODY_INVALID` for an unknown protocol @throws TaskHistoryError @throws JournalError */
  async replay(body: ControlReplayBody): Promise<ControlReplayed> {
    const { host, history, journal } = this.#options;
    const { id } = await history.summary(body.taskId);
    await host.tasks.get(id)?.flushed();
    const readable = (taskId: string) => {
      const driver = journal(taskId);
      return { path: driver.path, read: () => driver.read(), close: async () => {} };
    };
    // Parts that can't be read have no decisions to compare.
    const task = await readTreeOf(id, readable, { where: id, onLeftOut: () => {} });
    const replayed = replayShipped(task, body);
    if (replayed !== undefined) return replayed;
    throw new ServerError(
      "BODY_INVALID",
      `Expected a shipped protocol (${shippedNames().join(", ")}), got ${JSON.stringify(body.protocol)}.`,
    );
  }
}
