import { z } from "zod";
import { lockedError } from "../../journal/error.ts";
import { count, rowOf, type Statements } from "../database.ts";
import type { JournalAddress } from "../ownership.ts";
import type { Tables } from "../tables.ts";

const Waiting = z.object({ waiting: count });

/** A command that waits has its position in one database only. @throws JournalError `JOURNAL_LOCKED` if commands wait */
export async function assertNoCommands(
  statements: Statements,
  { inbox }: Tables,
  { task, path }: JournalAddress,
): Promise<void> {
  const found = await statements.query(
    `SELECT count(*) AS waiting FROM ${inbox} WHERE task = $1 AND command IS NOT NULL`,
    [task],
  );
  const waiting = rowOf(Waiting, found)?.waiting ?? 0;
  if (waiting === 0) return;
  throw lockedError(
    path,
    `Expected no commands in its inbox, found ${waiting}. Run a worker until it has taken them, then move the task again.`,
  );
}

/** Let positions go on after the last one in the records of a task that came from elsewhere. */
export async function continuePositions(
  statements: Statements,
  { inbox, record }: Tables,
  task: string,
): Promise<void> {
  await statements.query(
    `INSERT INTO ${inbox} (task, position, id, added_at)
      SELECT $1, position, 'moved ' || position, clock_timestamp() FROM (
        SELECT max((regexp_match(encode(content, 'escape'), '"inbox":{"position":(\\d{1,15})'))[1]::bigint) AS position
          FROM ${record} WHERE task = $1
      ) AS taken WHERE position IS NOT NULL ON CONFLICT DO NOTHING`,
    [task],
  );
}
