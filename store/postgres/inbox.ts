import { z } from "zod";
import type { CommandOutcome, Inbox, InboxItem, Refusal } from "../../ports/inbox.ts";
import { poolProblem } from "../../wire/pool.ts";
import { isTaskId } from "../task-history/task-folder.ts";
import type { TaskChannel } from "./channel.ts";
import { count, type Database, rowOf } from "./database.ts";
import { PostgresError } from "./error.ts";
import type { Tables } from "./tables.ts";

export interface PostgresInboxOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly channel: TaskChannel;
  /** Commands of one task that may wait. Default 1,000. */
  readonly inboxLimit?: number | undefined;
}

const INBOX_LIMIT = 1_000;
/** Commands that one read returns. */
const READ_LIMIT = 100;
/** Characters of the id that a sender chooses. */
const ID_MAX_CHARS = 200;

const PutRow = z.object({ position: count });
const RemovedRow = z.object({ refusal: z.object({ code: z.string(), message: z.string() }).nullable() });
/** Records that may contain a position as a value of something else. */
const RECORDS_MAX = 10;
const LineRow = z.object({ line: z.string() });
const TakenLine = z.object({
  inbox: z.object({ position: z.number(), refused: z.string().optional() }).optional().catch(undefined),
});
const WaitingRow = z.object({ waiting: count });
const ItemRow = z.object({ position: count, command: z.unknown() });

type Listener = Parameters<Inbox["watch"]>[0];

/** Inboxes in rows. */
export class PostgresInbox implements Inbox {
  readonly #options: PostgresInboxOptions;

  constructor(options: PostgresInboxOptions) {
    this.#options = options;
  }

  /** @throws PostgresError `INBOX_FULL`, `DATABASE_OPTION`, `DATABASE_FAILED` */
  async put(taskId: string, id: string, command: unknown, pool?: string): Promise<number> {
    const { tables, channel, inboxLimit = INBOX_LIMIT } = this.#options;
    const json = JSON.stringify(command);
    if (!isTaskId(taskId) || id === "" || id.length > ID_MAX_CHARS || json === undefined)
      throw new PostgresError(
        "DATABASE_OPTION",
        `Expected a task id, an id of 1 to ${ID_MAX_CHARS} characters and a command that JSON can express, got ${JSON.stringify([taskId, id]).slice(0, 200)}. Correct them.`,
      );
    if (pool !== undefined) assertPool(pool);
    const values = [taskId, id, json, inboxLimit, channel.name];
    const found = await this.#options.database.statement(
      pool === undefined
        ? `SELECT ${tables.put_command}($1, $2, $3, $4, $5) AS position`
        : `SELECT ${tables.put_start}($1, $2, $3, $4, $5, $6) AS position`,
      pool === undefined ? values : [...values, pool],
    );
    const position = rowOf(PutRow, found)?.position ?? 0;
    if (position > 0) return position;
    throw new PostgresError(
      "INBOX_FULL",
      `Expected fewer than ${inboxLimit} waiting commands of task ${taskId} (inboxLimit). Check that a worker runs, then send the command again.`,
    );
  }

  /** At most 100: read again after the last one. @throws PostgresError `DATABASE_FAILED` */
  async after(taskId: string, position: number): Promise<readonly InboxItem[]> {
    const { rows } = await this.#options.database.statement(
      `SELECT position, command FROM ${this.#options.tables.inbox}
        WHERE task = $1 AND position > $2 AND command IS NOT NULL ORDER BY position LIMIT ${READ_LIMIT}`,
      [taskId, position],
    );
    return rows.map((row) => ({ taskId, ...ItemRow.parse(row) }));
  }

  /** The number of commands of all tasks that wait. @throws PostgresError `DATABASE_FAILED` */
  async waiting(): Promise<number> {
    const { inbox } = this.#options.tables;
    const found = await this.#options.database.statement(
      `SELECT count(*) AS waiting FROM ${inbox} WHERE command IS NOT NULL`,
      [],
    );
    return rowOf(WaitingRow, found)?.waiting ?? 0;
  }

  /** @throws PostgresError `DATABASE_FAILED` */
  async remove(taskId: string, upTo: number): Promise<void> {
    const { tables, channel } = this.#options;
    const { inbox } = tables;
    await this.#options.database.statement(
      `WITH expired AS (
        DELETE FROM ${inbox} WHERE task = $1 AND position < $2 AND command IS NULL
          AND added_at < clock_timestamp() - interval '1 day'
      ), removed AS (
        UPDATE ${inbox} SET command = NULL WHERE task = $1 AND position <= $2 AND command IS NOT NULL RETURNING position
      ) SELECT pg_notify($3, 'taken ' || $1) WHERE EXISTS (SELECT FROM removed)`,
      [taskId, upTo, channel.name],
    );
  }

  /** @throws PostgresError `DATABASE_FAILED` */
  async refuse(taskId: string, position: number, { code, message }: Refusal): Promise<void> {
    const { tables, channel } = this.#options;
    await this.#options.database.statement(
      `WITH refused AS (
        UPDATE ${tables.inbox} SET command = NULL, refusal = $3
          WHERE task = $1 AND position = $2 AND command IS NOT NULL RETURNING position
      ) SELECT pg_notify($4, 'taken ' || $1) WHERE EXISTS (SELECT FROM refused)`,
      [taskId, position, JSON.stringify({ code, message }), channel.name],
    );
  }

  /** @throws PostgresError `DATABASE_FAILED` */
  async outcome(taskId: string, position: number): Promise<CommandOutcome | undefined> {
    const { inbox, record } = this.#options.tables;
    const removed = await this.#options.database.statement(
      `SELECT refusal FROM ${inbox} WHERE task = $1 AND position = $2 AND command IS NULL`,
      [taskId, position],
    );
    const row = rowOf(RemovedRow, removed);
    if (row === undefined) return undefined;
    if (row.refusal !== null) return { refused: row.refusal.code, message: row.refusal.message };
    const { rows } = await this.#options.database.statement(
      `SELECT convert_from(content, 'UTF8') AS line FROM ${record}
        WHERE task = $1 AND position($2::bytea IN content) > 0 ORDER BY n DESC LIMIT ${RECORDS_MAX}`,
      [taskId, Buffer.from(`"inbox":{"position":${position}`)],
    );
    for (const found of rows) {
      const { inbox: taken } = TakenLine.parse(JSON.parse(LineRow.parse(found).line));
      if (taken?.position === position) return taken.refused === undefined ? {} : { refused: taken.refused };
    }
    return undefined;
  }

  watch(listener: Listener): () => void {
    return this.#options.channel.watch({
      onNews: (news, taskId) => {
        if (news === "added") listener.onAdded(taskId);
        if (news === "taken") listener.onTaken?.(taskId);
      },
      onGap: () => listener.onGap(),
    });
  }
}

/** @throws PostgresError `DATABASE_OPTION` */
function assertPool(pool: string): void {
  const problem = poolProblem(pool);
  if (problem === undefined) return;
  throw new PostgresError("DATABASE_OPTION", `${problem} Got ${JSON.stringify(pool.slice(0, 200))}.`);
}
