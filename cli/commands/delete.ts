import { createInterface } from "node:readline";
import { openHistory } from "../../runtime/index.ts";
import { CliError } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printable } from "../show/index.ts";
import { inWords } from "./history-error.ts";

export interface DeleteFlags {
  readonly yes?: true;
  readonly recursive?: true;
  readonly dataDir: string;
}

/** Deletes a task for good, once a person has said so. */
export async function deleteTask(given: string, flags: DeleteFlags, io: Io): Promise<number> {
  const { dataDir, recursive = false } = flags;
  const history = openHistory({ dataDir });
  const id = await inWords(() => history.find(given));
  if (flags.yes !== true) {
    const { title } = await inWords(() => history.read(id));
    const answer = await confirm(`Delete ${id} (${printable(title)}) for good? [y/N] `, io);
    if (answer !== "yes") io.stdout.write("Nothing was deleted.\n");
    if (answer === "interrupted") return EXIT.interrupted;
    if (answer === "no") return EXIT.done;
  }
  const { deleted, remaining } = await inWords(() => history.delete(id, { recursive }));
  for (const one of deleted) io.stdout.write(`Deleted ${one}.\n`);
  if (remaining.length > 0)
    io.stdout.write(`Its subtasks are still there: ${remaining.join(", ")}. --recursive deletes them too.\n`);
  return EXIT.done;
}

/** Only a person says yes; the end of the input, and anything else, is a no. */
async function confirm(question: string, io: Io): Promise<"yes" | "no" | "interrupted"> {
  if (io.stdin.isTTY !== true)
    throw new CliError("there is nobody to ask whether to delete this. If you mean it, add --yes.");
  const lines = createInterface({ input: io.stdin, output: io.stdout, terminal: true });
  try {
    return await new Promise((resolve) => {
      lines.once("SIGINT", () => resolve("interrupted"));
      lines.once("close", () => resolve("no"));
      lines.question(question, (line) => resolve(/^(y|yes)$/i.test(line.trim()) ? "yes" : "no"));
    });
  } finally {
    lines.close();
  }
}
