import type { InboxAnswer, InboxDatabase, InboxStatement } from "./inbox-world.ts";

export interface InboxExecuted {
  readonly database: InboxDatabase;
  readonly answer: InboxAnswer;
}

export const EMPTY_INBOX: InboxDatabase = { rows: [], records: [], epoch: 0 };

/** The database after a command was put. A known id adds nothing, and a removed command keeps its position and its id. */
export function putCommand(database: InboxDatabase, id: number): InboxDatabase {
  const { rows } = database;
  if (rows.some((row) => row.id === id)) return database;
  const position = (rows.at(-1)?.position ?? 0) + 1;
  return { ...database, rows: [...rows, { position, id, isRemoved: false }] };
}

/**
 * Executes a statement. The leases are explored elsewhere: here, the owner of a task is one whose lease holds.
 * @param isOwned Whether the owner's lease holds.
 */
export function executeInbox(
  database: InboxDatabase,
  worker: number,
  statement: InboxStatement,
  isOwned: boolean,
): InboxExecuted {
  switch (statement.type) {
    case "claim": {
      if (isOwned && database.owner !== worker) return { database, answer: { type: "refused" } };
      const epoch = database.epoch + 1;
      const answer = { type: "claimed", epoch, records: database.records } as const;
      return { database: { ...database, epoch, owner: worker }, answer };
    }
    case "read": {
      const rows = database.rows.filter(
        ({ position, isRemoved }) => position > statement.after && !isRemoved,
      );
      return { database, answer: { type: "read", rows } };
    }
    case "append": {
      if (database.owner !== worker || database.epoch !== statement.epoch)
        return { database, answer: { type: "fenced" } };
      // An append without an answer was executed. The exploration of the leases has how its writer finds that out.
      if (database.records.length > statement.from) return { database, answer: { type: "appended" } };
      const records = [...database.records, ...statement.records];
      return { database: { ...database, records }, answer: { type: "appended" } };
    }
    case "remove": {
      const rows = database.rows.map((row) =>
        row.position <= statement.upTo ? { ...row, isRemoved: true } : row,
      );
      return { database: { ...database, rows }, answer: { type: "removed" } };
    }
    case "release": {
      const { owner, ...unowned } = database;
      const isOwner = owner === worker && (statement.epoch ?? database.epoch) === database.epoch;
      return { database: isOwner ? unowned : database, answer: { type: "released" } };
    }
  }
}
