import { access, writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { formatSequence } from "../../verify/sequence.ts";
import { quoteArgument } from "../command-line.ts";
import { CliError, errorMessage } from "../error.ts";
import { textOrJson } from "../options.ts";
import type { FoundViolation } from "./found-violation.ts";
import { createViolationJournal } from "./journal.ts";

/** The files that a counterexample is written to. */
export interface EmitFlags {
  readonly emitTest?: string;
  readonly emitJournal?: string;
  readonly emitDiagram?: string;
  readonly emitPage?: string;
}

/** Add the options that write what was found to files, and the output format. */
export const addEmitOptions = (command: Command, what: string): Command =>
  command
    .option("--emit-test <file>", `write ${what} as a test`)
    .option("--emit-journal <file>", `write ${what} as a journal`)
    .option("--emit-diagram <file>", `write ${what} as a mermaid sequence diagram`)
    .option(
      "--emit-page <file>",
      `write ${what} as a visual debugger page, opened at the transition that breaks the law`,
    )
    .addOption(textOrJson());

/** Check, before a long run, that the files are new. @throws CliError for an existing file */
export async function assertNewFiles(flags: EmitFlags): Promise<void> {
  const { emitTest, emitJournal, emitDiagram, emitPage } = flags;
  for (const file of [emitTest, emitJournal, emitDiagram, emitPage]) {
    if (file === undefined) continue;
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) throw new CliError(`${file} already exists. Choose a new file name.`);
  }
}

/**
 * Write the counterexample to the given files. Returns a hint about how to view it.
 * @throws CliError where one can't be written
 */
export async function writeCounterexample(flags: EmitFlags, found: FoundViolation): Promise<string> {
  const { violation, machine, input, test } = found;
  if (test !== undefined) await writeNew(flags.emitTest, test);
  await writeNew(flags.emitDiagram, () => formatSequence(violation, machine, input));
  const { emitJournal, emitPage } = flags;
  const hints: string[] = [];
  if (emitJournal !== undefined) {
    const { content, lastSeq = 0 } = await createViolationJournal(violation, machine, input);
    await writeNew(emitJournal, () => content);
    hints.push(`\nTo view it: signalbox inspect ${quoteArgument(emitJournal)} --at ${lastSeq}\n`);
  }
  if (emitPage !== undefined) {
    const { createViolationPage } = await import("./page.ts");
    await writeNew(emitPage, () => createViolationPage(found));
    hints.push(`\nTo view it: open ${quoteArgument(emitPage)} in a browser.\n`);
  }
  return hints.join("");
}

async function writeNew(
  file: string | undefined,
  content: () => string | Buffer | Promise<string | Buffer>,
): Promise<void> {
  if (file === undefined) return;
  try {
    await writeFile(file, await content(), { flag: "wx" });
  } catch (error) {
    throw new CliError(`can't write the counterexample to ${file}: ${errorMessage(error)}`, { cause: error });
  }
}
