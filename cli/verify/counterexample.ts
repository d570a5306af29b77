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
    .option("--emit-test <file>", `write ${what} as a vitest test that fails until the fault is fixed`)
    .option(
      "--emit-journal <file>",
      `write ${what} as the journal of such a task, which signalbox inspect opens`,
    )
    .option("--emit-diagram <file>", `write ${what} as a mermaid sequence diagram`)
    .option(
      "--emit-page <file>",
      `write ${what} as a visual debugger page, opened at the transition that breaks the law, with the test`,
    )
    .addOption(textOrJson());

/** Check, before a long run, that the files are new. @throws CliError for an existing file */
export async function assertNewFiles(
  { emitTest, emitJournal, emitDiagram, emitPage }: EmitFlags,
  ...others: readonly (string | undefined)[]
): Promise<void> {
  for (const file of [emitTest, emitJournal, emitDiagram, emitPage, ...others]) {
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
    hints.push(openHint(emitPage));
  }
  return hints.join("");
}

/** The hint that says how to view a page. */
export const openHint = (file: string): string => `\nTo view it: open ${quoteArgument(file)} in a browser.\n`;

async function writeNew(
  file: string | undefined,
  content: () => string | Buffer | Promise<string | Buffer>,
): Promise<void> {
  if (file !== undefined) await writeNewFile(file, "the counterexample", content);
}

/** Write a new file. @throws CliError if it exists, or can't be written */
export async function writeNewFile(
  file: string,
  what: string,
  content: () => string | Buffer | Promise<string | Buffer>,
): Promise<void> {
  try {
    await writeFile(file, await content(), { flag: "wx" });
  } catch (error) {
    throw new CliError(`can't write ${what} to ${file}: ${errorMessage(error)}`, { cause: error });
  }
}
