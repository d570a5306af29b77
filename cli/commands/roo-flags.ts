import { type Command, Option } from "commander";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import type { RunFlags } from "./run-flags.ts";

/** Mistakes in a row until somebody is asked, in the frozen product's command. */
const MISTAKES = 10;
const OLD_PROVIDERS = ["openai-native", "gemini", "openrouter", "vercel-ai-gateway", "roo"] as const;

/** What the frozen product's command takes, and this one does not heed. */
export interface RooFlags extends Omit<RunFlags, "provider"> {
  readonly provider: RunFlags["provider"] | (typeof OLD_PROVIDERS)[number];
  readonly extension?: string;
  readonly terminalShell?: string;
}

/** Commands of the frozen product that are not here, and what to do instead. They must not become the prompt of a task. */
const GONE: Readonly<Record<string, string>> = {
  upgrade: "npm installs another version.",
  auth: "a key is given in ANTHROPIC_API_KEY.",
};

/** Has the program refuse what the frozen product's command did, and this one doesn't. */
export function refuseGone(program: Command): void {
  for (const [name, instead] of Object.entries(GONE))
    program
      .command(name, { hidden: true })
      .argument("[words...]")
      .allowUnknownOption()
      .action(() => {
        throw new CliError(`there is no command "${name}" here: ${instead}`);
      });
}

/** Gives a command with the options of `run` the old ones too. */
export function addRooOptions(command: Command): Command {
  const provider = command.options.find(({ long }) => long === "--provider");
  provider?.choices(["anthropic", "mock", ...OLD_PROVIDERS]);
  return command
    .addOption(new Option("-e, --extension <path>", "taken, and not heeded"))
    .addOption(new Option("--terminal-shell <path>", "taken, and not heeded"));
}

/**
 * The flags as `run` means them, with the frozen command's defaults: everything is approved unless `-a` says otherwise,
 * and without a terminal it prints. What is not heeded is said on stderr.
 */
export function withRooDefaults(flags: RooFlags, { stdin, stdout, stderr }: Io): RunFlags {
  const warn = (words: string): void => {
    stderr.write(`[CLI] Warning: ${words}\n`);
  };
  const { extension, terminalShell, provider, ...rest } = flags;
  if (extension !== undefined) warn("--extension is not heeded: there is no extension here.");
  if (terminalShell !== undefined)
    warn("--terminal-shell is not heeded: commands run in the system's shell.");
  const isKnown = provider === "anthropic" || provider === "mock";
  if (!isKnown) warn(`--provider ${provider} is not there: anthropic is used.`);
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const isPrint = flags.print === true || !flags.tui;
  if (!isTerminal && !isPrint) warn("there is no terminal: it prints, as with --print.");
  return {
    ...rest,
    provider: isKnown ? provider : "anthropic",
    consecutiveMistakeLimit: flags.consecutiveMistakeLimit ?? MISTAKES,
    answers: flags.requireApproval === true ? "person" : "rule",
    ...(flags.requireApproval !== true && { yes: true as const }),
    ...((isPrint || !isTerminal) && { print: true as const }),
  };
}
