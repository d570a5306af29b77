import { z } from "zod";
import type { SearchHit } from "../../../wire/http/search.ts";
import {
  HITS_MAX,
  linePattern,
  searchedText,
  searchHit,
  TASK_HITS_MAX,
  type TaskSearch,
} from "../../task-history/search.ts";
import { count, type Statements } from "../database.ts";
import type { Tables } from "../tables.ts";

/** Tasks, and bytes of their journals, that one statement reads. */
const BATCH_TASKS = 256;
const BATCH_BYTES = 32 * 1024 * 1024;
/** Lines of a task that may have the text: some of them are no records. */
const CANDIDATES_MAX = 4 * TASK_HITS_MAX;

const TaskRow = z.object({ id: z.string(), sort_key: z.number(), bytes: count });
const LineRow = z.object({ task: z.string(), content: z.instanceof(Buffer) });

export interface SearchOptions {
  readonly statements: Statements;
  readonly tables: Tables;
  /** Whether the time of a search is over. */
  readonly isOver: () => boolean;
}

/** The records that contain a text, of the newest tasks first, until the time is over. */
export async function* searchRecords(
  search: TaskSearch,
  { statements, tables, isOver }: SearchOptions,
): AsyncGenerator<SearchHit, void> {
  const text = searchedText(search);
  if (text === "") return;
  const line = new RegExp(linePattern(search, escaped(text)), "isu");
  const candidate = candidatePattern(text);
  let left = HITS_MAX;
  for await (const ids of batchesOf(statements, tables)) {
    const { rows } = await statements.query(
      `SELECT r.task, r.content FROM unnest($1::text[]) WITH ORDINALITY AS given(id, place) CROSS JOIN LATERAL (
          SELECT task, n, content FROM ${tables.record}
            WHERE task = given.id AND encode(content, 'escape') ~* $2 ORDER BY n LIMIT ${CANDIDATES_MAX}
        ) AS r ORDER BY given.place, r.n`,
      [ids, candidate],
    );
    for (const hit of hitsIn(rows, line)) {
      yield hit;
      left -= 1;
      if (left === 0) return;
    }
    if (isOver()) return;
  }
}

/** The ids of all tasks, newest first, in batches that one statement can search. */
async function* batchesOf(
  statements: Statements,
  { task_summary }: Tables,
): AsyncGenerator<readonly string[]> {
  let after: readonly [number, string] = [Number.NEGATIVE_INFINITY, ""];
  for (;;) {
    const { rows } = await statements.query(
      `SELECT id, sort_key, bytes FROM ${task_summary} WHERE (sort_key, id) > ($1::float8, $2) ORDER BY sort_key, id LIMIT ${BATCH_TASKS}`,
      [...after],
    );
    let batch: string[] = [];
    let bytes = 0;
    for (const row of rows) {
      const task = TaskRow.parse(row);
      after = [task.sort_key, task.id];
      if (batch.length > 0 && bytes + task.bytes > BATCH_BYTES) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(task.id);
      bytes += task.bytes;
    }
    if (batch.length > 0) yield batch;
    if (rows.length < BATCH_TASKS) return;
  }
}

function* hitsIn(rows: readonly unknown[], line: RegExp): Generator<SearchHit> {
  const found = new Map<string, number>();
  for (const row of rows) {
    const { task, content } = LineRow.parse(row);
    const hits = found.get(task) ?? 0;
    const { seq, excerpt } = line.exec(content.toString().replace(/\n$/, ""))?.groups ?? {};
    if (hits === TASK_HITS_MAX || seq === undefined || excerpt === undefined) continue;
    found.set(task, hits + 1);
    yield searchHit(task, Number(seq), excerpt);
  }
}

/** A text as a regular expression that matches it alone. */
const escaped = (text: string): string => text.replaceAll(/[\\^$.|?*+()[\]{}/]/g, "\\$&");

/**
 * The regular expression of a text in the bytes of a line, as the function `encode` of the database writes them: no bytes
 * are invalid in it. A character that is not in ASCII is matched in both cases.
 */
function candidatePattern(text: string): string {
  return [...text]
    .map((character) => {
      if (character <= "\x7f") return escaped(character === "\\" ? "\\\\" : character);
      const forms = new Set([character, character.toLowerCase(), character.toUpperCase()]);
      return `(?:${[...forms]
        .filter((form) => [...form].length === 1)
        .map(octal)
        .join("|")})`;
    })
    .join("");
}

const octal = (character: string): string =>
  [...Buffer.from(character)].map((byte) => `\\\\${byte.toString(8)}`).join("");
