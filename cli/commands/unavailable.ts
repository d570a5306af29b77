import type { Command } from "commander";
import { CliError } from "../error.ts";

/** Commands of Roo Code that are not available, and what to do instead. They must not become the prompt of a task. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  upgrade: "install another version with npm.",
  auth: "set ANTHROPIC_API_KEY instead.",
};

/** Add the commands of Roo Code that are not available. Each fails with a hint. */
export function addUnavailableCommands(program: Command): void {
  for (const [name, instead] of Object.entries(UNAVAILABLE))
    program
      .command(name, { hidden: true })
      .argument("[args...]")
      .allowUnknownOption()
      .action(() => {
        throw new CliError(`the command "${name}" is not available: ${instead}`);
      });
}
