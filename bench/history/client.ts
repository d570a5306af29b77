import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { createHost } from "../../runtime/host.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { fileJournal, readJournal } from "../../store/index.ts";
import { encodeLine } from "../../store/journal/line.ts";
import { scriptedModel, scriptedToolCall } from "../../testing/scripted-model.ts";
import { allowEverything } from "../../tools/index.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import { type Commands, command, createFolders, stopwatch, sum } from "../harness/index.ts";

/** Turns of the tasks; every tenth is a long one. */
const SHORT_TURNS = 4;
const LONG_TURNS = 40;
const LONG_EVERY = 10;
/** How many files are written at a time. */
const WRITES = 64;

/** The records of a completed task. */
async function recorded(folder: string, turns: number): Promise<readonly JournalRecord[]> {
  const { workspace, dataDir } = await createFolders(path.join(folder, `template-${turns}`));
  await mkdir(workspace, { recursive: true });
  await writeFile(path.join(workspace, "a.txt"), "one line of text\n".repeat(40));
  const host = createHost({ dataDir });
  const task = await host.create({
    model: scriptedModel((turn) =>
      turn < turns
        ? scriptedToolCall("read_file", { path: "a.txt" }, `call-${turn}`)
        : scriptedToolCall("attempt_completion", { result: "Done." }, "done"),
    ),
    workspace,
    permissions: { judge: allowEverything() },
    limits: { requests: turns + 2, repetitions: turns + 2 },
  });
  await task.run("Read the file again and again.\nThen stop.");
  await host.closeAll();
  const records: JournalRecord[] = [];
  const driver = fileJournal({ dir: path.join(dataDir, "tasks", task.id) });
  for await (const record of readJournal(driver, { onTail: () => undefined })) records.push(record);
  return records;
}

/** Write the journal of one of many tasks: the same records with another header. */
async function writeTask(
  dataDir: string,
  number: number,
  records: readonly JournalRecord[],
): Promise<number> {
  const id = `task-${String(number).padStart(6, "0")}`;
  const lines = records.map((record) =>
    encodeLine(record.kind === "header" ? { ...record, taskId: id, createdAt: number } : record),
  );
  const text = `${lines.join("\n")}\n`;
  const folder = path.join(dataDir, "tasks", id);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "journal.jsonl"), text);
  return text.length;
}

export const commands: Commands = {
  /** Write this many tasks. Returns their size in bytes. */
  prepare: command(z.object({ folder: z.string(), tasks: z.number() }), async ({ folder, tasks }) => {
    const { dataDir } = await createFolders(folder);
    const short = await recorded(folder, SHORT_TURNS);
    const long = await recorded(folder, LONG_TURNS);
    let next = 0;
    const sizes: number[] = [];
    const work = async (): Promise<void> => {
      for (let number = next++; number < tasks; number = next++)
        sizes.push(await writeTask(dataDir, number, number % LONG_EVERY === 0 ? long : short));
    };
    await Promise.all(Array.from({ length: WRITES }, work));
    return sum(sizes);
  }),
  /** List all tasks, with or without the index. Returns their number and the time it took. */
  list: command(z.object({ folder: z.string(), isIndexed: z.boolean() }), async ({ folder, isIndexed }) => {
    const { dataDir } = await createFolders(folder);
    if (!isIndexed) await rm(path.join(dataDir, "tasks/.task-index"), { force: true });
    const read = stopwatch();
    const tasks = await openHistory({ dataDir }).list();
    const { wallMs, cpuMs } = read();
    const isRight = tasks.every(({ isCompleted, title }) => isCompleted && title.startsWith("Read the file"));
    if (!isRight) throw new Error("A listed task has the wrong state or title.");
    return { tasks: tasks.length, wallMs, cpuMs };
  }),
};
