import { readFile } from "node:fs/promises";
import { type LoadedSettings, type Settings, selectShell } from "../../settings/index.ts";
import { CliError, errorMessage } from "../error.ts";
import type { Io } from "../io.ts";
import type { RunSettings, Session } from "../run/index.ts";
import { configFolder } from "../settings/config-folder.ts";
import { loadRunSettings, withSettingsErrors } from "../settings/load.ts";
import { readModel } from "../settings/model.ts";
import { readRunModes } from "../settings/modes.ts";
import { formatIgnored } from "../settings/notice.ts";
import { runPermissions } from "../settings/policy.ts";
import { SettingsRules } from "../settings/run-rules.ts";
import { runTools } from "../settings/tools.ts";
import type { RunFlags } from "./run-flags.ts";

/** Maximum characters of a prompt from a file or stdin. */
const PROMPT_CHARS_MAX = 1_000_000;

/** @throws CliError for conflicting flags, settings that can't be used, an unreadable prompt, or a missing API key */
export async function readSettings(
  prompt: string | undefined,
  flags: RunFlags,
  io: Io,
): Promise<RunSettings> {
  const isPrint = flags.print === true || !flags.tui;
  const { outputFormat } = flags;
  if (outputFormat !== "text" && !isPrint)
    throw new CliError(`--output-format ${outputFormat} requires --print. Add --print.`);
  validateStreamFlags(prompt, flags, isPrint, io);
  if (flags.script !== undefined && flags.provider !== "mock")
    throw new CliError("--script requires --provider mock. Add --provider mock.");
  const session = parseSession(flags);
  const text = flags.stdinPromptStream
    ? undefined
    : await promptOf(prompt, flags.promptFile, isPrint && session.kind === "new", io);
  const loaded = await loadRunSettings(flags, io);
  io.stderr.write(formatIgnored(loaded, flags.workspace));
  const { mode, permissions, limits, checkpoints } = loaded.settings;
  const asksAlways = flags.requireApproval === true;
  const configDir = configFolder(io);
  const rules = new SettingsRules(loaded, { load: () => loadRunSettings(flags, io), configDir, asksAlways });
  const model = await readModel(flags, loaded, session, io);
  return {
    prompt: text,
    session,
    workspace: flags.workspace,
    outputMode: isPrint ? outputFormat : "terminal",
    answers: flags.answers ?? "nobody",
    stdinStream: flags.stdinPromptStream === true,
    signalOnlyExit: flags.signalOnlyExit === true,
    withMessages: flags.withMessages === true,
    mode,
    modes: await readRunModes(loaded),
    tools: runTools(loaded, model),
    policy: rules.policy,
    rules,
    permissionMode: runPermissions(loaded, asksAlways).mode,
    isPermissionModeNamed: isNamed(loaded, ["permissions", "mode"]),
    asksAlways,
    followupTimeoutMs: permissions?.followupTimeoutMs,
    shell: await withSettingsErrors(() => selectShell(loaded)),
    model,
    dataDir: flags.dataDir,
    configDir,
    completion: flags.completion,
    queueDelivery: flags.queueDelivery ?? (flags.stdinPromptStream === true ? "one" : "all"),
    isEphemeral: flags.ephemeral === true,
    checkpoints: checkpoints !== false && flags.ephemeral !== true,
    oneshot: flags.oneshot === true,
    exitOnError: flags.exitOnError === true,
    limits: definedLimits(limits),
    debug: flags.debug === true,
    secrets: [
      flags.apiKey,
      io.env.ANTHROPIC_API_KEY,
      io.env.ANTHROPIC_AUTH_TOKEN,
      ...model.profiles.flatMap(({ apiKey, headers = {} }) => [apiKey, ...Object.values(headers)]),
    ].filter((secret) => secret !== undefined),
  };
}

/** Whether the command line or the environment sets it. */
const isNamed = ({ entries }: LoadedSettings, name: readonly string[]): boolean =>
  entries.some(
    ({ path, source }) => path.join() === name.join() && (source === "flags" || source === "environment"),
  );

/** The limits that are set. */
function definedLimits({
  requests,
  cost,
  mistakes,
}: NonNullable<Settings["limits"]> = {}): RunSettings["limits"] {
  return {
    ...(requests !== undefined && { requests }),
    ...(cost !== undefined && { cost }),
    ...(mistakes !== undefined && { mistakes }),
  };
}

/** Commands on stdin require machine-readable output, and nothing else on stdin. */
function validateStreamFlags(
  prompt: string | undefined,
  flags: RunFlags,
  isPrint: boolean,
  { stdin }: Io,
): void {
  if (flags.stdinPromptStream !== true) {
    if (flags.signalOnlyExit === true)
      throw new CliError("--signal-only-exit requires --stdin-prompt-stream. Add --stdin-prompt-stream.");
    if (flags.withMessages === true)
      throw new CliError("--with-messages requires --stdin-prompt-stream. Add --stdin-prompt-stream.");
    return;
  }
  const without = (flag: string): CliError =>
    new CliError(`--stdin-prompt-stream requires ${flag}. Add ${flag}.`);
  if (!isPrint) throw without("--print");
  if (flags.outputFormat !== "stream-json") throw without("--output-format stream-json");
  if (prompt !== undefined || flags.promptFile !== undefined)
    throw new CliError(
      "--stdin-prompt-stream takes no prompt: it comes on stdin. Leave the prompt out, and send a start command.",
    );
  if (flags.createWithSessionId !== undefined)
    throw new CliError(
      "--stdin-prompt-stream can't be combined with --create-with-session-id. Send the id as taskId of the start command.",
    );
  if (stdin.isTTY === true)
    throw new CliError(
      "--stdin-prompt-stream reads commands from a pipe, but stdin is a terminal. Pipe the commands in.",
    );
}

function parseSession(flags: RunFlags): Session {
  if (flags.sessionId !== undefined) return { kind: "given", id: flags.sessionId };
  return flags.continue === true ? { kind: "newest" } : { kind: "new", id: flags.createWithSessionId };
}

async function promptOf(
  argument: string | undefined,
  file: string | undefined,
  mustBe: boolean,
  { stdin }: Io,
): Promise<string | undefined> {
  if (argument !== undefined && file !== undefined)
    throw new CliError("both a prompt and --prompt-file were given: expected one of them. Leave one out.");
  const prompt = file === undefined ? argument : await readPrompt(file);
  if (prompt !== undefined) {
    if (prompt.trim() === "") throw new CliError("the prompt is empty. Describe the task.");
    return prompt;
  }
  if (!mustBe) return undefined;
  const piped = stdin.isTTY === true ? "" : await readAll(stdin);
  if (piped.trim() === "")
    throw new CliError("no prompt: expected one as an argument, in --prompt-file, or on stdin.");
  return piped;
}

async function readPrompt(file: string): Promise<string> {
  try {
    return validateLength(await readFile(file, "utf8"));
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`--prompt-file can't be read: ${errorMessage(error)}. Give a text file.`, {
      cause: error,
    });
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
  return validateLength(Buffer.concat(pieces).toString("utf8"));
}

function validateLength(prompt: string): string {
  if (prompt.length <= PROMPT_CHARS_MAX) return prompt;
  throw new CliError(
    `the prompt has ${prompt.length} characters: expected at most ${PROMPT_CHARS_MAX}. Move the rest to a file in the workspace.`,
  );
}
