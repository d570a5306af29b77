import { createInterface } from "node:readline";
import { CliError } from "./error.ts";
import type { Io } from "./io.ts";

/**
 * Ask a yes/no question on the terminal. Only an explicit yes counts; the end of the input is a no.
 *
 * @param hint what to do without a terminal
 * @throws CliError where stdin is not a terminal
 */
export async function confirm(question: string, hint: string, io: Io): Promise<"yes" | "no" | "interrupted"> {
  if (io.stdin.isTTY !== true)
    throw new CliError(`can't ask for confirmation: stdin is not a terminal. ${hint}`);
  const lines = createInterface({ input: io.stdin, output: io.stdout, terminal: true });
  try {
    return await new Promise((resolve) => {
      lines.once("SIGINT", () => resolve("interrupted"));
      lines.once("close", () => resolve("no"));
      lines.question(`${question} [y/N] `, (line) => resolve(/^(y|yes)$/i.test(line.trim()) ? "yes" : "no"));
    });
  } finally {
    lines.close();
  }
}
