import { z } from "zod";
import type { ListOptions } from "../../task-history/history-store.ts";
import { withStoredFacts } from "../../task-history/summarize.ts";
import type { ListPosition, StoredFacts, TaskSummary } from "../../task-history/summary.ts";
import { realPathOf } from "../../task-history/task-list.ts";
import { searchedWords } from "../../task-history/words.ts";
import type { Statements } from "../database.ts";
import { workerDescription } from "../lease-statements.ts";
import type { Tables } from "../tables.ts";
import { keyOf } from "./summaries.ts";

/** Tasks that are read at once. */
const PAGE_TASKS = 1_000;
/** The newest tasks that are compared one by one, before the index of words is used. */
const COMPARED_TASKS = 4_000;

/** The columns of {@link storedFacts}; `t` is a row of the table task. */
export const factColumns = (): string => "t.name, t.owned_since, w.description";

/** The join that finds the owner of a task whose lease has not ended. */
export const joinOwner = ({ worker }: Tables): string =>
  `LEFT JOIN ${worker} w ON w.id = t.owner AND w.dead_at IS NULL AND w.lease_until > clock_timestamp()`;

export const FactsRow = z.object({
  name: z.string().nullable(),
  owned_since: z.date().nullable(),
  description: workerDescription.nullable(),
});

/** The facts of a task beside its journal. The database knows a lease, and not whether its process still runs. */
export function storedFacts({
  name,
  owned_since: since,
  description,
}: z.output<typeof FactsRow>): StoredFacts {
  return {
    ...(name !== null && { name }),
    ...(description !== null &&
      since !== null && {
        heldBy: { pid: description.pid, host: description.host, since: since.getTime(), isSeen: false },
      }),
  };
}

const SummaryRow = FactsRow.extend({ summary: z.string() });
const KeyRow = z.object({ id: z.string(), sort_key: z.number() });
type Key = z.output<typeof KeyRow>;

/** A place before all others: any key is a number. */
const FIRST: Key = { id: "", sort_key: Number.NEGATIVE_INFINITY };

/** The choice of a page. */
interface PageChoice {
  readonly workspace: string | null;
  /** The words as a query of the database; undefined: all tasks. */
  readonly words: string | undefined;
  readonly after: Key;
  readonly limit: number;
}

/** Reads pages of the index, by key. */
export class Listing {
  readonly #statements: Statements;
  readonly #tables: Tables;

  constructor(statements: Statements, tables: Tables) {
    this.#statements = statements;
    this.#tables = tables;
  }

  async list({ workspace, search = "", after, limit = Number.POSITIVE_INFINITY }: ListOptions) {
    const found: TaskSummary[] = [];
    const words = searchedWords(search);
    const choice = {
      workspace: workspace === undefined ? null : keyOf(await realPathOf(workspace)),
      words: words.length === 0 ? undefined : words.map((word) => `'${word}':*`).join(" & "),
    };
    let from = after === undefined ? FIRST : keyAt(after);
    while (found.length < limit) {
      const size = Math.min(PAGE_TASKS, limit - found.length);
      const keys = await this.#keys({ ...choice, after: from, limit: size });
      found.push(...(await this.#summaries(keys)));
      const last = keys.at(-1);
      if (last === undefined || keys.length < size) break;
      from = last;
    }
    return found;
  }

  async #keys(choice: PageChoice): Promise<readonly Key[]> {
    const { workspace, words, after, limit } = choice;
    const values = [after.sort_key, after.id, ...(workspace === null ? [] : [workspace])];
    if (words === undefined) return this.#select(this.#newest(choice, limit), values);
    const query = `$${values.length + 1}::tsquery`;
    const newest = this.#newest(choice, COMPARED_TASKS, ", words");
    const compared = await this.#select(
      `SELECT id, sort_key FROM (${newest}) AS newest WHERE words @@ ${query} ORDER BY sort_key, id LIMIT ${limit}`,
      [...values, words],
    );
    if (compared.length === limit) return compared;
    // A rare word: the index of words has few tasks.
    const inWorkspace = workspace === null ? "" : "AND (workspace = $3 OR root_workspace = $3)";
    return this.#select(
      `WITH found AS MATERIALIZED (
        SELECT id, sort_key FROM ${this.#tables.task_summary}
          WHERE words @@ ${query} AND (sort_key, id) > ($1::float8, $2) ${inWorkspace}
      ) SELECT id, sort_key FROM found ORDER BY sort_key, id LIMIT ${limit}`,
      [...values, words],
    );
  }

  /** The SELECT of the newest tasks after a key, in the order of an index. */
  #newest({ workspace }: PageChoice, limit: number, more = ""): string {
    const { task_summary } = this.#tables;
    const select = (condition: string): string =>
      `SELECT id, sort_key${more} FROM ${task_summary} WHERE (sort_key, id) > ($1::float8, $2) ${condition}
        ORDER BY sort_key, id LIMIT ${limit}`;
    if (workspace === null) return select("");
    return `SELECT * FROM ((${select("AND workspace = $3")}) UNION ALL
      (${select("AND root_workspace = $3 AND workspace IS DISTINCT FROM $3")})) AS either_one
      ORDER BY sort_key, id LIMIT ${limit}`;
  }

  async #select(text: string, values: unknown[]): Promise<readonly Key[]> {
    const { rows } = await this.#statements.query(text, values);
    return rows.map((row) => KeyRow.parse(row));
  }

  async #summaries(keys: readonly Key[]): Promise<readonly TaskSummary[]> {
    if (keys.length === 0) return [];
    const { task, task_summary } = this.#tables;
    const { rows } = await this.#statements.query(
      `SELECT s.summary, ${factColumns()} FROM ${task_summary} s JOIN ${task} t ON t.id = s.id ${joinOwner(this.#tables)}
        WHERE s.id = ANY ($1) ORDER BY s.sort_key, s.id`,
      [keys.map(({ id }) => id)],
    );
    return rows.map((row) => {
      const { summary, ...facts } = SummaryRow.parse(row);
      return withStoredFacts(summaryIn(summary), storedFacts(facts));
    });
  }
}

/** Only this package writes the column, with `JSON.stringify`. */
function summaryIn(text: string): TaskSummary {
  const summary: TaskSummary = JSON.parse(text);
  return summary;
}

const keyAt = ({ id, updatedAt }: ListPosition): Key => ({ id, sort_key: -updatedAt });
