import assert from "node:assert/strict";
import type { Entry } from "../../machines/conversation/entry.ts";
import { validateConversation } from "../../machines/conversation/validate.ts";
import { detectAgentState } from "../../machines/message/detect.ts";
import { applyLogEvent, emptyLog, type Log } from "../../machines/message/log.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import { type JournalDriver, readJournal } from "../../store/index.ts";

/** Checks the laws of tasks from their published events and journals, like a client. */
export class LawMonitor {
  readonly #violations: string[] = [];
  readonly #pauses: boolean;
  readonly #replicas = new Map<Task, Log>();

  constructor({ pauses }: { readonly pauses: boolean }) {
    this.#pauses = pauses;
  }

  /** The followed tasks. */
  get tasks(): readonly Task[] {
    return [...this.#replicas.keys()];
  }

  /** L6: the API accepts the messages of every request. */
  request(messages: readonly Entry[]): void {
    for (const { fault, entry, message } of validateConversation(messages, {
      mayEndWithAssistant: this.#pauses,
    }))
      this.#violations.push(`L6 entry ${entry}: ${message} (${fault})`);
  }

  /** L1-L4, L8: after each published commit, the log means the machine's state, and a replica equals the log. */
  follow(task: Task): void {
    let replica = task.log;
    this.#replicas.set(task, replica);
    task.events$.subscribe((published) => {
      const before = replica.length;
      for (const event of published.commit.log) replica = applyLogEvent(replica, event);
      this.#replicas.set(task, replica);
      this.#check(task, replica, before, published);
    });
  }

  /** L11: the records of the journal fold to the same messages. */
  async journal(task: Task, driver: JournalDriver): Promise<void> {
    let log = emptyLog;
    for await (const record of readJournal(driver, {
      onTail: ({ reason }) => this.#violations.push(reason),
    })) {
      if (record.kind !== "commit") continue;
      for (const event of record.log ?? []) log = applyLogEvent(log, event);
    }
    assert.deepEqual(
      log.toArray(),
      task.log.toArray(),
      "L11: the journal and the task have different messages",
    );
  }

  assertHeld(task: Task): void {
    assert.deepEqual(this.#violations, [], "violated laws");
    const replica = this.#replicas.get(task)?.toArray();
    assert.deepEqual(replica, task.log.toArray(), "L2: the replica and the task have different messages");
  }

  #check(task: Task, replica: Log, before: number, { commit, snapshot }: TaskCommit): void {
    const messages = replica.toArray();
    const state = commit.after.split(".", 1)[0];
    const at = `task ${task.id} after ${commit.cause?.type} (${commit.after})`;
    this.#expect(
      detectAgentState(messages).state === state,
      `L1 ${at}: the log means ${detectAgentState(messages).state}`,
    );
    this.#expect(task.state.state === state, `L2 ${at}: the tracker's state is ${task.state.state}`);
    this.#expect(
      isSame(messages, snapshot.context.log.toArray()),
      `L2 ${at}: the replica has other messages`,
    );
    const partial = messages.findIndex((message) => message.partial === true);
    this.#expect(
      partial < 0 || partial === messages.length - 1,
      `L3 ${at}: message ${partial} is partial and not last`,
    );
    const open = messages.findIndex(({ type, closing }) => type === "ask" && closing === undefined);
    this.#expect(open < 0 || open === messages.length - 1, `L8 ${at}: ask ${open} is open and not last`);
    const times = messages.map(({ ts }) => ts);
    this.#expect(
      times.every((ts, index) => index === 0 || ts > (times[index - 1] ?? 0)),
      `L5 ${at}: ts does not increase`,
    );
    this.#expect(messages.length >= before, `L2 ${at}: messages were removed`);
  }

  #expect(holds: boolean, problem: string): void {
    if (!holds) this.#violations.push(problem);
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
