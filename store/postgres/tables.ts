import { quoteSchema } from "./schema-name.ts";

const NAMES = [
  "worker",
  "task",
  "record",
  "torn",
  "deleted_subtask",
  "task_summary",
  "object",
  "object_chunk",
  "inbox",
  "task_pool",
  "cluster",
  "migration",
] as const;
const FUNCTIONS = ["put_command", "put_start"] as const;
type TableName = (typeof NAMES)[number];

/** The quoted names of the tables and the functions in a schema, for statements. */
export type Tables = Readonly<Record<TableName | (typeof FUNCTIONS)[number], string>>;

/** The tables in a schema. @throws PostgresError `DATABASE_OPTION` */
export function tablesIn(schema: string): Tables {
  const quoted = quoteSchema(schema);
  const named = (name: string): string => `${quoted}."${name}"`;
  return {
    worker: named("worker"),
    task: named("task"),
    record: named("record"),
    torn: named("torn"),
    deleted_subtask: named("deleted_subtask"),
    task_summary: named("task_summary"),
    object: named("object"),
    object_chunk: named("object_chunk"),
    inbox: named("inbox"),
    task_pool: named("task_pool"),
    cluster: named("cluster"),
    migration: named("migration"),
    put_command: named("put_command"),
    put_start: named("put_start"),
  };
}

/** The names without the schema. */
export const TABLE_NAMES: readonly string[] = NAMES;
export const FUNCTION_NAMES: readonly string[] = FUNCTIONS;
