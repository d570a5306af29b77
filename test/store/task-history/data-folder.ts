import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createActor } from "xstate";
import { systemClock } from "../../../actors/index.ts";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import { createGate, fileJournal } from "../../../store/index.ts";
import { encodeLine } from "../../../store/journal/line.ts";
import { JOURNAL_VERSION, type JournalDraft, type JournalHeader } from "../../../wire/journal/record.ts";
import { type Choice, pathEventFor } from "../../support/random-events.ts";
import { silentActors } from "../../support/silent-actors.ts";
import { TaskRun } from "../../support/task-run.ts";

type Commit = Extract<JournalDraft, { readonly kind: "commit" }>;

/** Create a commit record. */
export const commit = (seq: number, more: Partial<Commit> = {}): Commit => ({
  seq,
  kind: "commit",
  at: seq * 10,
  before: "no_task",
  after: "running.starting",
  ...more,
});

/** Create the commit of a prompt. */
export const started = (text: string, more: Partial<Commit> = {}): Commit =>
  commit(1, {
    log: [{ type: "message.appended", message: { ts: 10, type: "say", say: "text", text } }],
    ...more,
  });

/** The total cost in a commit. */
export const costing = (cost: number): Pick<Commit, "facts"> => ({
  facts: { total: { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost } },
});

/** A temporary data folder. */
export class Archive {
  readonly dataDir = realpathSync(mkdtempSync(path.join(tmpdir(), "history-")));

  folder(id: string): string {
    return path.join(this.dataDir, "tasks", id);
  }

  journal(id: string): string {
    return path.join(this.folder(id), "journal.jsonl");
  }

  bytes(id: string): Buffer {
    return readFileSync(this.journal(id));
  }

  /** Write the bytes of a journal. */
  put(id: string, bytes: string | Buffer): void {
    mkdirSync(this.folder(id), { recursive: true });
    writeFileSync(this.journal(id), bytes);
  }

  /** Write a journal with a header and records. */
  write(id: string, records: readonly JournalDraft[], header: Partial<JournalHeader> = {}): void {
    const first = { seq: 0, kind: "header", version: JOURNAL_VERSION, taskId: id, createdAt: 1 } as const;
    const lines = [{ ...first, ...header }, ...records].map((record) => encodeLine(record));
    this.put(id, `${lines.join("\n")}\n`);
  }

  /** File of the list's index. */
  get index(): string {
    return path.join(this.dataDir, "tasks/.task-index");
  }

  /** Hash of all file names and contents but the index. */
  get hash(): string {
    const hash = createHash("sha256");
    for (const name of readdirSync(this.dataDir, { recursive: true, encoding: "utf8" }).toSorted()) {
      const file = path.join(this.dataDir, name);
      if (file === this.index) continue;
      hash.update(`${name}\n`);
      if (statSync(file).isFile()) hash.update(readFileSync(file));
    }
    return hash.digest("hex");
  }

  [Symbol.dispose](): void {
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** Write the journal of a task that received random events, in any state. */
export async function writeRandom(archive: Archive, id: string, choices: readonly Choice[]): Promise<void> {
  const run = new TaskRun({ taskId: id });
  const actor = createActor(taskMachine.provide({ actors: silentActors }), { input: { taskId: id } });
  const errors: unknown[] = [];
  const gate = createGate({
    driver: fileJournal({ dir: archive.folder(id) }),
    header: { taskId: id, createdAt: 1, workspace: archive.dataDir },
    clock: systemClock,
    onError: (error) => errors.push(error),
  });
  gate.attach(actor);
  actor.start();
  const start = { type: "task.start", at: 5, text: "go", images: [] } as const;
  run.send(start);
  actor.send(start);
  for (const [step, choice] of choices.entries()) {
    const event = pathEventFor(run.view, choice, step);
    if (event.type === "process.crashed") continue;
    run.send(event);
    actor.send(event);
  }
  await gate.flushed();
  actor.stop();
  await gate.close();
  if (errors.length > 0) throw errors[0];
}
