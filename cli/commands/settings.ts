import { readFile } from "node:fs/promises";
import type { Effort } from "../../adapters/index.ts";
import {
  allowEverything,
  allowReadsInside,
  allowTodoList,
  askAPerson,
  firstOf,
  type Policy,
} from "../../tools/index.ts";
import { CliError, wordsOf } from "../error.ts";
import type { Io } from "../io.ts";
import type { Provider, RunSettings, Session } from "../run/index.ts";
import type { RunFlags } from "./run-flags.ts";

/** The longest prompt that is read from a file or the input, in characters. */
const PROMPT_CHARS_MAX = 1_000_000;

/** @throws CliError where the flags don't go together, the prompt can't be read, or there is no key */
export async function settingsOf(prompt: string | undefined, flags: RunFlags, io: Io): Promise<RunSettings> {
  const isPrint = flags.print === true || !flags.tui;
  const { outputFormat } = flags;
  if (outputFormat !== "text" && !isPrint)
    throw new CliError(
      `--output-format ${outputFormat} was given without --print: expected both. Add --print.`,
    );
  expectStreamFlags(prompt, flags, isPrint, io);
  if (flags.script !== undefined && flags.provider !== "mock")
    throw new CliError(
      "--script was given without --provider mock: only the mock answers from a script. Add --provider mock.",
    );
  const session = sessionOf(flags);
  return {
    prompt: flags.stdinPromptStream
      ? undefined
      : await promptOf(prompt, flags.promptFile, isPrint && session.kind === "new", io),
    session,
    workspace: flags.workspace,
    front: isPrint ? outputFormat : "terminal",
    answers: flags.answers ?? "nobody",
    stdinStream: flags.stdinPromptStream === true,
    signalOnlyExit: flags.signalOnlyExit === true,
    withMessages: flags.withMessages === true,
    mode: flags.mode,
    policy: policyOf(flags),
    provider: providerOf(flags, io),
    model: flags.model,
    dataDir: flags.dataDir,
    isEphemeral: flags.ephemeral === true,
    checkpoints: flags.checkpoints && flags.ephemeral !== true,
    oneshot: flags.oneshot === true,
    exitOnError: flags.exitOnError === true,
    mistakes: flags.consecutiveMistakeLimit,
    debug: flags.debug === true,
    secrets: [flags.apiKey, io.env.ANTHROPIC_API_KEY, io.env.ANTHROPIC_AUTH_TOKEN].filter(
      (secret) => secret !== undefined,
    ),
  };
}

/** Commands on the input go with what can be read by a program, and with nothing else on the input. */
function expectStreamFlags(
  prompt: string | undefined,
  flags: RunFlags,
  isPrint: boolean,
  { stdin }: Io,
): void {
  if (flags.stdinPromptStream !== true) {
    if (flags.signalOnlyExit === true)
      throw new CliError(
        "--signal-only-exit was given without --stdin-prompt-stream: expected both. Add --stdin-prompt-stream.",
      );
    if (flags.withMessages === true)
      throw new CliError(
        "--with-messages was given without --stdin-prompt-stream: expected both. Add --stdin-prompt-stream.",
      );
    return;
  }
  const without = (words: string): CliError =>
    new CliError(`--stdin-prompt-stream was given without ${words}: expected both. Add ${words}.`);
  if (!isPrint) throw without("--print");
  if (flags.outputFormat !== "stream-json") throw without("--output-format stream-json");
  if (prompt !== undefined || flags.promptFile !== undefined)
    throw new CliError(
      "--stdin-prompt-stream was given with a prompt: expected prompts on the input. Leave the prompt out, and send a start.",
    );
  if (flags.createWithSessionId !== undefined)
    throw new CliError(
      "--stdin-prompt-stream was given with --create-with-session-id: expected the id in the start, as taskId. Leave it out.",
    );
  if (stdin.isTTY === true)
    throw new CliError("--stdin-prompt-stream was given on a terminal: expected commands on a pipe.");
}

function sessionOf(flags: RunFlags): Session {
  if (flags.sessionId !== undefined) return { kind: "given", id: flags.sessionId };
  return flags.continue === true ? { kind: "newest" } : { kind: "new", id: flags.createWithSessionId };
}

function policyOf({ yes, requireApproval }: RunFlags): Policy {
  if (yes === true) return allowEverything();
  return requireApproval === true ? askAPerson() : firstOf(allowReadsInside(), allowTodoList(), askAPerson());
}

function providerOf({ provider, script, apiKey, baseUrl, reasoningEffort }: RunFlags, { env }: Io): Provider {
  if (provider === "mock") return { kind: "mock", script };
  if (!apiKey && !env.ANTHROPIC_API_KEY && !env.ANTHROPIC_AUTH_TOKEN)
    throw new CliError(
      [
        "there is no API key: expected ANTHROPIC_API_KEY in the environment, or --api-key KEY.",
        "Set one and run it again; or try it without: signalbox run --provider mock --script FILE PROMPT",
      ].join("\n"),
    );
  return { kind: "anthropic", apiKey, baseURL: baseUrl, effort: effortOf(reasoningEffort) };
}

/** The level that the API knows; undefined leaves it to the model. */
function effortOf(effort: RunFlags["reasoningEffort"]): Effort | undefined {
  switch (effort) {
    case undefined:
    case "unspecified":
    case "disabled":
    case "none":
      return undefined;
    case "minimal":
      return "low";
    default:
      return effort;
  }
}

async function promptOf(
  argument: string | undefined,
  file: string | undefined,
  mustBe: boolean,
  { stdin }: Io,
): Promise<string | undefined> {
  if (argument !== undefined && file !== undefined)
    throw new CliError("a prompt and --prompt-file were given: expected one of them. Leave one out.");
  const prompt = file === undefined ? argument : await readPrompt(file);
  if (prompt !== undefined) {
    if (prompt.trim() === "") throw new CliError("the prompt is empty: say what shall be done.");
    return prompt;
  }
  if (!mustBe) return undefined;
  const piped = stdin.isTTY === true ? "" : await readAll(stdin);
  if (piped.trim() === "")
    throw new CliError(
      "there is no prompt: expected one as an argument, in --prompt-file, or on the input. Give one.",
    );
  return piped;
}

async function readPrompt(file: string): Promise<string> {
  try {
    return bounded(await readFile(file, "utf8"));
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`--prompt-file can't be read: ${wordsOf(error)}. Give a text file.`, { cause: error });
  }
}

async function readAll(stdin: Io["stdin"]): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stdin) {
    const bytes = Buffer.from(piece);
    size += bytes.length;
    pieces.push(bytes);
    if (size > PROMPT_CHARS_MAX * 4) break;
  }
  return bounded(Buffer.concat(pieces).toString("utf8"));
}

function bounded(prompt: string): string {
  if (prompt.length <= PROMPT_CHARS_MAX) return prompt;
  throw new CliError(
    `the prompt has ${prompt.length} characters: expected at most ${PROMPT_CHARS_MAX}. Put the rest into a file of the workspace.`,
  );
}
