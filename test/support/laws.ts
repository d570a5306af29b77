import assert from "node:assert/strict";
import { type Entry, validateHistory } from "../../machines/conversation/index.ts";
import { applyLogEvent, detectAgentState, emptyLog, type Log } from "../../machines/message/index.ts";
import type { Task, TaskCommit } from "../../runtime/index.ts";
import { type JournalDriver, readJournal } from "../../store/index.ts";

/** Watches tasks from outside, as any client could, and keeps what they did against the laws. */
export class LawMonitor {
  readonly #broken: string[] = [];
  readonly #pauses: boolean;
  readonly #replicas = new Map<Task, Log>();

  constructor({ pauses }: { readonly pauses: boolean }) {
    this.#pauses = pauses;
  }

  /** The tasks that were followed. */
  get tasks(): readonly Task[] {
    return [...this.#replicas.keys()];
  }

  /** L6: every history that is sent is one that the API takes. */
  request(history: readonly Entry[]): void {
    for (const { fault, entry, message } of validateHistory(history, { mayEndWithAssistant: this.#pauses }))
      this.#broken.push(`L6 entry ${entry}: ${message} (${fault})`);
  }

  /** L1-L4, L8: after each shown commit the rows mean the machine's state, and a replica has the same rows. */
  follow(task: Task): void {
    let replica = task.log;
    this.#replicas.set(task, replica);
    task.events$.subscribe((shown) => {
      const before = replica.length;
      for (const event of shown.commit.log) replica = applyLogEvent(replica, event);
      this.#replicas.set(task, replica);
      this.#check(task, replica, before, shown);
    });
  }

  /** L11: what the journal recorded folds to the same rows. */
  async journal(task: Task, driver: JournalDriver): Promise<void> {
    let log = emptyLog;
    for await (const record of readJournal(driver, { onTail: ({ reason }) => this.#broken.push(reason) })) {
      if (record.kind !== "commit") continue;
      for (const event of record.log ?? []) log = applyLogEvent(log, event);
    }
    assert.deepEqual(log.toArray(), task.log.toArray(), "L11: the journal's rows are the task's");
  }

  assertHeld(task: Task): void {
    assert.deepEqual(this.#broken, [], "laws that were broken");
    const replica = this.#replicas.get(task)?.toArray();
    assert.deepEqual(replica, task.log.toArray(), "L2: the replica's rows are the task's");
  }

  #check(task: Task, replica: Log, before: number, { commit, snapshot }: TaskCommit): void {
    const rows = replica.toArray();
    const state = commit.after.split(".", 1)[0];
    const at = `task ${task.id} after ${commit.cause?.type} (${commit.after})`;
    this.#expect(
      detectAgentState(rows).state === state,
      `L1 ${at}: the rows mean ${detectAgentState(rows).state}`,
    );
    this.#expect(task.state.state === state, `L2 ${at}: the tracker says ${task.state.state}`);
    this.#expect(isSame(rows, snapshot.context.log.toArray()), `L2 ${at}: the replica has other rows`);
    const partial = rows.findIndex((row) => row.partial === true);
    this.#expect(
      partial < 0 || partial === rows.length - 1,
      `L3 ${at}: row ${partial} is partial and not last`,
    );
    const open = rows.findIndex((row) => row.type === "ask" && row.closing === undefined);
    this.#expect(open < 0 || open === rows.length - 1, `L8 ${at}: ask ${open} is open and not last`);
    const times = rows.map(({ ts }) => ts);
    this.#expect(
      times.every((ts, index) => index === 0 || ts > (times[index - 1] ?? 0)),
      `L5 ${at}: ts does not increase`,
    );
    this.#expect(rows.length >= before, `L2 ${at}: rows went away`);
  }

  #expect(holds: boolean, problem: string): void {
    if (!holds) this.#broken.push(problem);
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
