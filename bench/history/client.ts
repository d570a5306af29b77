import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { createHost, openHistory } from "../../runtime/index.ts";
import { encodeLine, fileJournal, readJournal } from "../../store/index.ts";
import { allowEverything } from "../../tools/index.ts";
import type { JournalRecord } from "../../wire/index.ts";
import { type Commands, command, placesIn, stopwatch, sum } from "../harness/index.ts";
import { callOf, scriptModel } from "../harness/script-model.ts";

/** Turns of the tasks; every tenth is a long one. */
const SHORT_TURNS = 4;
const LONG_TURNS = 40;
const LONG_EVERY = 10;
/** How many files are written at a time. */
const WRITES = 64;

/** The records of a task that has run its course. */
async function recorded(folder: string, turns: number): Promise<readonly JournalRecord[]> {
  const { workspace, dataDir } = await placesIn(path.join(folder, `template-${turns}`));
  await mkdir(workspace, { recursive: true });
  await writeFile(path.join(workspace, "a.txt"), "one line of text\n".repeat(40));
  const host = createHost({ dataDir });
  const task = await host.create({
    model: scriptModel((turn) =>
      turn < turns
        ? callOf(`call-${turn}`, "read_file", { path: "a.txt" })
        : callOf("done", "attempt_completion", { result: "Done." }),
    ),
    workspace,
    policy: allowEverything(),
    limits: { requests: turns + 2, repetitions: turns + 2 },
  });
  await task.run("Read the file again and again.\nThen stop.");
  await host.closeAll();
  const records: JournalRecord[] = [];
  const driver = fileJournal({ dir: path.join(dataDir, "tasks", task.id) });
  for await (const record of readJournal(driver, { onTail: () => undefined })) records.push(record);
  return records;
}

/** The journal of one of many tasks: the same records under a header of its own. */
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
  /** Writes so many tasks, and tells how many bytes they have. */
  prepare: command(z.object({ folder: z.string(), tasks: z.number() }), async ({ folder, tasks }) => {
    const { dataDir } = await placesIn(folder);
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
  /** Lists all tasks, and tells how many they are and what that took. */
  list: command(z.object({ folder: z.string() }), async ({ folder }) => {
    const { dataDir } = await placesIn(folder);
    const read = stopwatch();
    const tasks = await openHistory({ dataDir }).list();
    const { wallMs, cpuMs } = read();
    const isRight = tasks.every(({ isCompleted, title }) => isCompleted && title.startsWith("Read the file"));
    if (!isRight) throw new Error("A task is listed as another than it is: the bench went astray.");
    return { tasks: tasks.length, wallMs, cpuMs };
  }),
};
