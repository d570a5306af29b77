import { type Command, Option } from "commander";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import { isRunProvider, RUN_PROVIDERS } from "../providers.ts";
import type { RunFlags } from "./run-flags.ts";

/** Default of --consecutive-mistake-limit in Roo Code's command. */
const MISTAKES = 10;
const OLD_PROVIDERS = ["openai-native", "gemini", "openrouter", "vercel-ai-gateway", "roo"] as const;

/** Flags of Roo Code's command; some are ignored. */
export interface RooFlags extends Omit<RunFlags, "provider"> {
  readonly provider?: RunFlags["provider"] | (typeof OLD_PROVIDERS)[number];
  readonly extension?: string;
  readonly terminalShell?: string;
}

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

/** Add the options of Roo Code's command to a command with the options of `run`. */
export function addRooOptions(command: Command): Command {
  const provider = command.options.find(({ long }) => long === "--provider");
  provider?.choices([...RUN_PROVIDERS, ...OLD_PROVIDERS]);
  return command
    .addOption(new Option("-e, --extension <path>", "accepted and ignored, for compatibility"))
    .addOption(new Option("--terminal-shell <path>", "accepted and ignored, for compatibility"));
}

/**
 * Convert to the flags of `run`, with the defaults of Roo Code's command: a task completes with the tool, everything is
 * approved unless `-a` is given, and without a terminal the output is printed. Ignored flags cause a warning on stderr.
 */
export function withRooDefaults(flags: RooFlags, { stdin, stdout, stderr }: Io): RunFlags {
  const warn = (text: string): void => {
    stderr.write(`[CLI] Warning: ${text}\n`);
  };
  const { extension, terminalShell, provider, ...rest } = flags;
  if (extension !== undefined) warn("--extension is ignored: there is no extension.");
  if (terminalShell !== undefined) warn("--terminal-shell is ignored: commands run in the system's shell.");
  const isKnown = provider === undefined || isRunProvider(provider);
  if (!isKnown) warn(`--provider ${provider} is not available: using anthropic.`);
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const isPrint = flags.print === true || !flags.tui;
  if (!isTerminal && !isPrint) warn("there is no terminal: printing, as with --print.");
  return {
    ...rest,
    ...(provider !== undefined && { provider: isKnown ? provider : "anthropic" }),
    consecutiveMistakeLimit: flags.consecutiveMistakeLimit ?? MISTAKES,
    completion: "tool",
    answers: flags.requireApproval === true ? "person" : "rule",
    ...(flags.requireApproval !== true && flags.permissionMode === undefined && { yes: true as const }),
    ...((isPrint || !isTerminal) && { print: true as const }),
  };
}
