import { type Command, Option } from "commander";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import { isRunProvider, RUN_PROVIDERS, type RunProvider } from "../providers.ts";
import type { RunFlags } from "./run-flags.ts";

/** Default of --consecutive-mistake-limit in Roo Code's command. */
const MISTAKES = 10;
/** Roo Code's names of providers. */
const RENAMED = { "openai-native": "openai", gemini: "google" } as const;
const UNAVAILABLE_PROVIDERS = ["openrouter", "vercel-ai-gateway", "roo"] as const;
type RooProvider = RunProvider | keyof typeof RENAMED | (typeof UNAVAILABLE_PROVIDERS)[number];

/** Flags of Roo Code's command; some are ignored. */
export interface RooFlags extends Omit<RunFlags, "provider"> {
  readonly provider?: RooProvider;
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
  provider?.choices([...RUN_PROVIDERS, ...Object.keys(RENAMED), ...UNAVAILABLE_PROVIDERS]);
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
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const isPrint = flags.print === true || !flags.tui;
  if (!isTerminal && !isPrint) warn("there is no terminal: printing, as with --print.");
  return {
    ...rest,
    ...(provider !== undefined && { provider: providerOf(provider, warn) }),
    consecutiveMistakeLimit: flags.consecutiveMistakeLimit ?? MISTAKES,
    completion: "tool",
    answers: flags.requireApproval === true ? "person" : "rule",
    ...(flags.requireApproval !== true && flags.permissionMode === undefined && { yes: true as const }),
    ...((isPrint || !isTerminal) && { print: true as const }),
  };
}

function providerOf(name: RooProvider, warn: (text: string) => void): RunProvider {
  if (isRunProvider(name)) return name;
  if (name === "openai-native" || name === "gemini") return RENAMED[name];
  warn(
    `--provider ${name} is not available: using anthropic. Endpoints of Chat Completions: --provider openai-compatible.`,
  );
  return "anthropic";
}
