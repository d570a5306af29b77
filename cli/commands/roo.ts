import { type Command, Option } from "commander";
import type { Io } from "../io.ts";
import { isRunProvider, RUN_PROVIDERS, type RunProvider } from "../providers.ts";
import { addRunOptions, type RunFlags } from "../settings/run-flags.ts";
import type { Define } from "./command.ts";
import { runPrompt } from "./run.ts";

/** Default of --consecutive-mistake-limit in Roo Code's command. */
const MISTAKES = 10;
/** Roo Code's names of providers. */
const RENAMED = { "openai-native": "openai", gemini: "google" } as const;
const UNAVAILABLE_PROVIDERS = ["openrouter", "vercel-ai-gateway", "roo"] as const;
type RooProvider = RunProvider | keyof typeof RENAMED | (typeof UNAVAILABLE_PROVIDERS)[number];

/** Flags of Roo Code's command; some are ignored. */
interface RooFlags extends Omit<RunFlags, "provider"> {
  readonly provider?: RooProvider;
  readonly extension?: string;
  readonly terminalShell?: string;
}

/** Roo Code's command, with its flags and its defaults. */
export const define: Define = (command, { io, end }) => {
  command.argument("[prompt]", "the task prompt");
  addRooOptions(addRunOptions(command)).action(async (prompt: string | undefined, flags: RooFlags) =>
    end(await runPrompt(prompt, withRooDefaults(flags, io), io)),
  );
};

/** Add the options of Roo Code's command to a command with the options of `run`. */
function addRooOptions(command: Command): Command {
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
function withRooDefaults(flags: RooFlags, { stdin, stdout, stderr }: Io): RunFlags {
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
