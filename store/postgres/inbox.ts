import { createHash } from "node:crypto";
import { z } from "zod";
import type { Clock } from "../../ports/clock.ts";
import type { Inbox, InboxItem } from "../../ports/inbox.ts";
import { isTaskId } from "../task-history/task-folder.ts";
import { count, type Database, rowOf } from "./database.ts";
import { PostgresError, toStatementError } from "./error.ts";
import { Notifications } from "./notifications.ts";
import type { Tables } from "./tables.ts";

export interface PostgresInboxOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly schema: string;
  readonly clock: Clock;
  /** Commands of one task that may wait. Default 1,000. */
  readonly inboxLimit?: number | undefined;
  /** Time between two checks of the connection that listens, in ms. Default 10,000. */
  readonly checkMs?: number;
}

const INBOX_LIMIT = 1_000;
/** Commands that one read returns. */
const READ_LIMIT = 100;
/** Characters of the id that a sender chooses. */
const ID_MAX_CHARS = 200;

const PutRow = z.object({ position: count });
const WaitingRow = z.object({ waiting: count });
const ItemRow = z.object({ position: count, command: z.unknown() });

type Listener = Parameters<Inbox["watch"]>[0];

/** Inboxes in rows. One connection listens for all listeners of the process. */
export class PostgresInbox implements Inbox {
  readonly #options: PostgresInboxOptions;
  readonly #channel: string;
  readonly #listeners = new Set<Listener>();
  #notifications: Notifications | undefined;

  constructor(options: PostgresInboxOptions) {
    this.#options = options;
    this.#channel = channelOf(options.schema);
  }

  /** @throws PostgresError `INBOX_FULL`, `DATABASE_OPTION`, `DATABASE_FAILED` */
  async put(taskId: string, id: string, command: unknown): Promise<number> {
    const { tables, inboxLimit = INBOX_LIMIT } = this.#options;
    const json = JSON.stringify(command);
    if (!isTaskId(taskId) || id === "" || id.length > ID_MAX_CHARS || json === undefined)
      throw new PostgresError(
        "DATABASE_OPTION",
        `Expected a task id, an id of 1 to ${ID_MAX_CHARS} characters and a command that JSON can express, got ${JSON.stringify([taskId, id]).slice(0, 200)}. Correct them.`,
      );
    const found = await this.#query(`SELECT ${tables.put_command}($1, $2, $3, $4, $5) AS position`, [
      taskId,
      id,
      json,
      inboxLimit,
      this.#channel,
    ]);
    const position = rowOf(PutRow, found)?.position ?? 0;
    if (position > 0) return position;
    throw new PostgresError(
      "INBOX_FULL",
      `Expected fewer than ${inboxLimit} waiting commands of task ${taskId} (inboxLimit). Check that a worker runs, then send the command again.`,
    );
  }

  /** At most 100: read again after the last one. @throws PostgresError `DATABASE_FAILED` */
  async after(taskId: string, position: number): Promise<readonly InboxItem[]> {
    const { rows } = await this.#query(
      `SELECT position, command FROM ${this.#options.tables.inbox}
        WHERE task = $1 AND position > $2 AND command IS NOT NULL ORDER BY position LIMIT ${READ_LIMIT}`,
      [taskId, position],
    );
    return rows.map((row) => ({ taskId, ...ItemRow.parse(row) }));
  }

  /** The number of commands of all tasks that wait. @throws PostgresError `DATABASE_FAILED` */
  async waiting(): Promise<number> {
    const { inbox } = this.#options.tables;
    const found = await this.#query(`SELECT count(*) AS waiting FROM ${inbox} WHERE command IS NOT NULL`, []);
    return rowOf(WaitingRow, found)?.waiting ?? 0;
  }

  /** @throws PostgresError `DATABASE_FAILED` */
  async remove(taskId: string, upTo: number): Promise<void> {
    const { inbox } = this.#options.tables;
    await this.#query(
      `WITH expired AS (
        DELETE FROM ${inbox} WHERE task = $1 AND position < $2 AND command IS NULL
          AND added_at < clock_timestamp() - interval '1 day'
      ) UPDATE ${inbox} SET command = NULL WHERE task = $1 AND position <= $2 AND command IS NOT NULL`,
      [taskId, upTo],
    );
  }

  watch(given: Listener): () => void {
    const listener = { ...given };
    this.#listeners.add(listener);
    this.#notifications ??= this.#listen();
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) void this.close();
    };
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
      channel: this.#channel,
      clock,
      ...(checkMs !== undefined && { checkMs }),
      onNotification: (taskId) => {
        for (const listener of this.#listeners) listener.onAdded(taskId);
      },
      onListening: () => {
        for (const listener of this.#listeners) listener.onGap();
      },
    });
  }

  async #query(text: string, values: unknown[]): ReturnType<Database["query"]> {
    const { database } = this.#options;
    try {
      return await database.query(text, values);
    } catch (error) {
      throw toStatementError(database.label, error);
    }
  }
}

/** The channel of a schema. The name of a schema can be as long as a name may be. */
const channelOf = (schema: string): string =>
  `signalbox_inbox_${createHash("sha256").update(schema).digest("hex").slice(0, 32)}`;
