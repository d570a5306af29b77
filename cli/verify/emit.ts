import { access, writeFile } from "node:fs/promises";
import type { TaskInput, taskMachine } from "../../machines/task/index.ts";
import { sequenceOf, type Violation } from "../../verify/index.ts";
import { CliError, wordsOf } from "../error.ts";
import { quoted } from "../quoted.ts";
import { journalOf } from "./journal.ts";

/** The new files that a counterexample is written to. */
export interface EmitFlags {
  readonly emitTest?: string;
  readonly emitJournal?: string;
  readonly emitDiagram?: string;
  readonly emitPage?: string;
}

/** A violation that was found, and all that is needed to tell it again. */
export interface Counterexample {
  readonly violation: Violation;
  readonly machine: typeof taskMachine;
  readonly input: Partial<TaskInput>;
  /** The text of a test that fails until the fault is mended. */
  readonly test: () => string;
}

/** Said before a long run, and not after it. @throws CliError for a file that is there already */
export async function refuseExisting(flags: EmitFlags): Promise<void> {
  const { emitTest, emitJournal, emitDiagram, emitPage } = flags;
  for (const file of [emitTest, emitJournal, emitDiagram, emitPage]) {
    if (file === undefined) continue;
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) throw new CliError(`${file} is there already. Give the name of a new file.`);
  }
}

/**
 * Writes the counterexample to the files that were asked for. Gives the words that say how to look at it.
 * @throws CliError where one can't be written
 */
export async function emit(flags: EmitFlags, found: Counterexample): Promise<string> {
  const { violation, machine, input, test } = found;
  await writeNew(flags.emitTest, test);
  await writeNew(flags.emitDiagram, () => sequenceOf(violation, machine, input));
  const { emitJournal, emitPage } = flags;
  const told: string[] = [];
  if (emitJournal !== undefined) {
    const { content, lastSeq = 0 } = await journalOf(violation, machine, input);
    await writeNew(emitJournal, () => content);
    told.push(`\nTo see it: signalbox inspect ${quoted(emitJournal)} --at ${lastSeq}\n`);
  }
  if (emitPage !== undefined) {
    const { pageOf } = await import("./page.ts");
    await writeNew(emitPage, () => pageOf(violation, machine, input));
    told.push(`\nTo see it: open ${quoted(emitPage)} in a browser.\n`);
  }
  return told.join("");
}

async function writeNew(
  file: string | undefined,
  content: () => string | Buffer | Promise<string | Buffer>,
): Promise<void> {
  if (file === undefined) return;
  try {
    await writeFile(file, await content(), { flag: "wx" });
  } catch (error) {
    throw new CliError(`the counterexample can't be written to ${file}: ${wordsOf(error)}`, { cause: error });
  }
}
