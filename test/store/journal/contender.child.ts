import type { JournalDriver } from "../../../ports/journal.ts";
import { JournalError } from "../../../store/journal/error.ts";
import { fileJournal } from "../../../store/journal/file.ts";
import { crashingJournal } from "../../../testing/index.ts";
import { commit, header, lines } from "../../testing/conformance.ts";
import { commandSchema, type Result } from "./contender.ts";

const opened: JournalDriver[] = [];

async function contend(dir: string): Promise<Result> {
  const driver = fileJournal({ dir });
  opened.push(driver);
  const pid = process.pid;
  try {
    await driver.append(lines(header, commit(1, `by ${pid}`)), { first: true });
    await Promise.all([2, 3, 4].map((seq) => driver.append(lines(commit(seq, `by ${pid}`)))));
    return { pid, won: true };
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return { pid, won: false, code: error.code, message: error.message };
  }
}

async function execute(message: unknown): Promise<readonly Result[]> {
  const command = commandSchema.parse(message);
  if (command.do === "contend")
    return Promise.all(Array.from({ length: command.drivers }, () => contend(command.dir)));
  if (command.do === "crash") {
    await crashingJournal(command).append(command.lines);
    return [];
  }
  await Promise.all(opened.splice(0).map((driver) => driver.close()));
  return [];
}

process.on("message", (message) => void execute(message).then((results) => process.send?.(results)));
process.on("disconnect", () => process.exit(0));
process.send?.([]);
