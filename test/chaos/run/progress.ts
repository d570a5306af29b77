import { setTimeout as pause } from "node:timers/promises";
import { Pool } from "pg";
import { z } from "zod";
import type { SeenEvent } from "./follower.ts";

const LOOK_MS = 500;
const State = z.object({
  id: z.string(),
  /** Null: the task was claimed, and nothing is written yet. */
  last: z.string().nullable(),
  commit: z.string().nullable(),
  owned: z.boolean(),
  waiting: z.coerce.number(),
});
const Last = z.object({ seq: z.number() });
const Commit = z.object({ after: z.string() });
const Seen = z.object({ record: z.object({ seq: z.number() }) });

/** The tasks that have ended, and the last record of each that the clients have seen. */
export class Progress {
  readonly #pool: Pool;
  readonly #seen = new Map<string, number>();
  readonly #last = new Map<string, number>();
  /** The tasks and subtasks that have a commit. */
  readonly #begun = new Set<string>();

  constructor(url: string) {
    this.#pool = new Pool({ connectionString: url, max: 1 });
    // The database is killed.
    this.#pool.on("error", () => {});
  }

  saw({ task, data }: SeenEvent): void {
    this.#seen.set(task, Seen.parse(data).record.seq);
  }

  /**
   * Wait until the tasks and all subtasks are at rest, without an owner and without waiting commands. Resolves with those that
   * are not before the deadline.
   */
  async untilEnded(tasks: readonly string[], deadline: number): Promise<readonly string[]> {
    let working: readonly string[] = [];
    await until(deadline, async () => {
      const ended = await this.#ended();
      working = [...new Set([...tasks, ...this.#begun])].filter((task) => !ended.has(task));
      return working.length === 0;
    });
    return working;
  }

  /** Whether the clients have seen the last record of each task and subtask before the deadline. */
  untilSeen(deadline: number): Promise<boolean> {
    return until(deadline, async () => {
      await this.#ended();
      return [...this.#last].every(([task, seq]) => this.#seen.get(task) === seq);
    });
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #ended(): Promise<ReadonlySet<string>> {
    const { rows } = await this.#pool.query(
      `SELECT t.id, t.owner IS NOT NULL AS owned,
          (SELECT count(command) FROM signalbox.inbox WHERE task = t.id) AS waiting,
          (SELECT convert_from(content, 'UTF8') FROM signalbox.record
            WHERE task = t.id AND octet_length(content) > 0 ORDER BY n DESC LIMIT 1) AS last,
          (SELECT convert_from(content, 'UTF8') FROM signalbox.record
            WHERE task = t.id AND position('"kind":"commit"'::bytea IN content) > 0 ORDER BY n DESC LIMIT 1) AS commit
        FROM signalbox.task t`,
    );
    const ended = new Set<string>();
    for (const { id, last, commit, owned, waiting } of z.array(State).parse(rows)) {
      if (last !== null) this.#last.set(id, Last.parse(JSON.parse(last)).seq);
      if (commit === null) continue;
      this.#begun.add(id);
      if (owned || waiting > 0) continue;
      const { after } = Commit.parse(JSON.parse(commit));
      if (/^(idle|resumable)\b/.test(after)) ended.add(id);
    }
    return ended;
  }
}

async function until(deadline: number, look: () => Promise<boolean>): Promise<boolean> {
  for (;;) {
    if (await look()) return true;
    if (Date.now() >= deadline) return false;
    await pause(LOOK_MS);
  }
}
