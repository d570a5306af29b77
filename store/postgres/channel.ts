import { createHash } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type { Database } from "./database.ts";
import { Notifications } from "./notifications.ts";

/** News of a task: a command was added to its inbox, commands were taken from it, or a process has opened the task. */
export type TaskNews = "added" | "taken" | "opened";

export interface ChannelListener {
  onNews(news: TaskNews, taskId: string): void;
  /** Earlier news may be lost. */
  onGap(): void;
}

export interface TaskChannelOptions {
  readonly database: Database;
  readonly schema: string;
  readonly clock: Clock;
  /** Time between two checks of the connection that listens, in ms. Default 10,000. */
  readonly checkMs?: number;
}

const NEWS = /^(added|taken|opened) (.+)$/s;

const isNews = (text: string | undefined): text is TaskNews =>
  text === "added" || text === "taken" || text === "opened";

/** The news of all tasks of a schema. While there are listeners, one connection of the process listens. */
export class TaskChannel {
  readonly name: string;
  readonly #options: TaskChannelOptions;
  readonly #listeners = new Set<ChannelListener>();
  #notifications: Notifications | undefined;

  constructor(options: TaskChannelOptions) {
    this.#options = options;
    this.name = channelOf(options.schema);
  }

  watch(given: ChannelListener): () => void {
    const listener = { ...given };
    this.#listeners.add(listener);
    this.#notifications ??= this.#listen();
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) void this.close();
    };
  }

  /** @throws PostgresError `DATABASE_FAILED` */
  async tell(news: TaskNews, taskId: string): Promise<void> {
    await this.#options.database.statement("SELECT pg_notify($1, $2)", [this.name, `${news} ${taskId}`]);
  }

  /** Stop listening. */
  async close(): Promise<void> {
    const notifications = this.#notifications;
    this.#notifications = undefined;
    await notifications?.close();
  }

  #listen(): Notifications {
    const { database, clock, checkMs } = this.#options;
    return new Notifications({
      database,
      channel: this.name,
      clock,
      ...(checkMs !== undefined && { checkMs }),
      onNotification: (payload) => {
        const [, news, taskId] = NEWS.exec(payload) ?? [];
        if (!isNews(news) || taskId === undefined) return;
        for (const listener of this.#listeners) listener.onNews(news, taskId);
      },
      onListening: () => {
        for (const listener of this.#listeners) listener.onGap();
      },
    });
  }
}

/** The channel of a schema. The name of a schema can be as long as a name may be. */
const channelOf = (schema: string): string =>
  `signalbox_tasks_${createHash("sha256").update(schema).digest("hex").slice(0, 32)}`;
