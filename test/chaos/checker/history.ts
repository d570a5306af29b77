import { readFileSync } from "node:fs";
import path from "node:path";
import { Client } from "pg";
import { z } from "zod";

/** A row of a journal. `content`: a line, or nothing where the owner changed. */
export interface Row {
  readonly n: number;
  readonly from: number;
  readonly content: string;
}

/** A task of a run, as it was given and as the database has it. `kind`: `subtask` of one that another task started. */
export interface CheckedTask {
  readonly id: string;
  readonly kind: string;
  readonly rows: readonly Row[];
  readonly owner: string | null;
  /** Commands that wait in its inbox. */
  readonly waiting: number;
}

const Command = z.discriminatedUnion("kind", [
  z.object({ kind: z.enum(["start", "continue", "message"]), text: z.string() }),
  z.object({ kind: z.literal("answer"), askId: z.number(), answer: z.object({ text: z.string() }) }),
  z.object({ kind: z.literal("cancel") }),
]);
const Sent = z.object({ task: z.string(), id: z.string(), position: z.number(), command: Command });
/** A command that the inbox accepted. */
export type Sent = z.output<typeof Sent>;

const Requested = z.object({
  task: z.string(),
  via: z.literal("server"),
  outcome: z.enum(["accepted", "refused", "unknown"]),
  command: Command,
});
/** A request to a server. `unknown`: the client got no answer. */
export type Requested = z.output<typeof Requested>;

const Seen = z.object({
  task: z.string(),
  connection: z.number(),
  id: z.string(),
  data: z.object({
    seq: z.number(),
    record: z.record(z.string(), z.unknown()),
    /** The record stands for several that are not written. */
    durable: z.literal(false).optional(),
  }),
});
/** An event that a client saw. */
export type Seen = z.output<typeof Seen>;

/** All that is known of a run. */
export interface History {
  readonly tasks: readonly CheckedTask[];
  /** The lines of the file of effects: the task and the call. */
  readonly effects: readonly string[];
  readonly commands: readonly Sent[];
  readonly requests: readonly Requested[];
  readonly events: readonly Seen[];
}

const TaskRow = z.object({ id: z.string(), owner: z.string().nullable(), waiting: z.coerce.number() });
const RecordRow = z.object({
  task: z.string(),
  n: z.coerce.number(),
  from: z.coerce.number(),
  content: z.string(),
});

/** Read the history of a run from its folder and its database. */
export async function readHistory(folder: string, url: string): Promise<History> {
  const lines = (name: string): readonly string[] =>
    readFileSync(path.join(folder, name), "utf8")
      .split("\n")
      .filter((line) => line !== "");
  const parsed = <T>(schema: z.ZodType<T>, name: string): readonly T[] =>
    lines(name).map((line) => schema.parse(JSON.parse(line)));
  const given = z
    .array(z.object({ id: z.string(), kind: z.string() }))
    .parse(JSON.parse(readFileSync(path.join(folder, "tasks.json"), "utf8")));
  const { tasks, rows } = await readDatabase(url);
  const ids = new Set(given.map(({ id }) => id));
  // A subtask that was claimed and never written is none.
  const subtasks = [...tasks.keys()]
    .filter((id) => !ids.has(id) && rows.get(id)?.some(({ content }) => content !== ""))
    .map((id) => ({ id, kind: "subtask" }));
  const sent = parsed(z.union([Sent, Requested]), "commands.ndjson");
  return {
    tasks: [...given, ...subtasks].map((task) => ({
      ...task,
      owner: tasks.get(task.id)?.owner ?? null,
      waiting: tasks.get(task.id)?.waiting ?? 0,
      rows: rows.get(task.id) ?? [],
    })),
    effects: lines("effects.txt"),
    commands: sent.filter((one) => "position" in one),
    requests: sent.filter((one) => "via" in one),
    events: parsed(Seen, "streams.ndjson"),
  };
}

async function readDatabase(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const tasks = await client.query(
      `SELECT id, owner, (SELECT count(command) FROM signalbox.inbox WHERE task = t.id) AS waiting
        FROM signalbox.task t`,
    );
    const records = await client.query(
      `SELECT task, n, from_byte AS from, convert_from(content, 'UTF8') AS content
        FROM signalbox.record ORDER BY task, n`,
    );
    return {
      tasks: new Map(
        z
          .array(TaskRow)
          .parse(tasks.rows)
          .map((row) => [row.id, row]),
      ),
      rows: rowsByTask(z.array(RecordRow).parse(records.rows)),
    };
  } finally {
    await client.end();
  }
}

function rowsByTask(rows: readonly z.output<typeof RecordRow>[]): ReadonlyMap<string, readonly Row[]> {
  const byTask = new Map<string, Row[]>();
  for (const { task, ...row } of rows) {
    const known = byTask.get(task);
    if (known === undefined) byTask.set(task, [row]);
    else known.push(row);
  }
  return byTask;
}
