import { PROVIDERS } from "../../adapters/models/provider.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import type { RunSettings, Session } from "../run/settings.ts";
import { readRunCommands } from "./commands.ts";
import { configFolder } from "./config-folder.ts";
import { loadRunSettings } from "./load.ts";
import { runMcpServers, secretsOf } from "./mcp.ts";
import { readModel } from "./model.ts";
import { formatIgnored } from "./notice.ts";
import { readPrompt } from "./prompt.ts";
import type { RunFlags } from "./run-flags.ts";
import { SettingsRules } from "./run-rules.ts";
import { readTaskSettings } from "./task-settings.ts";

/**
 * @param needsKey whether a missing API key is an error. Without, it is one of the tasks that need it. Default: true
 * @throws CliError for conflicting flags, settings that can't be used, an unreadable prompt, or a missing API key
 */
export async function readSettings(
  prompt: string | undefined,
  flags: RunFlags,
  io: Io,
  needsKey = true,
): Promise<RunSettings> {
  const isPrint = flags.print === true || !flags.tui;
  const { outputFormat } = flags;
  if (outputFormat !== "text" && !isPrint)
    throw new CliError(`--output-format ${outputFormat} requires --print. Add --print.`);
  validateStreamFlags(prompt, flags, isPrint, io);
  const session = parseSession(flags);
  const answers = flags.answers ?? "nobody";
  const text = flags.stdinPromptStream
    ? undefined
    : await readPrompt(
        {
          argument: prompt,
          file: flags.promptFile,
          isNeeded: isPrint && session.kind === "new",
          // Where a person answers on stdin, its lines are answers.
          takesInput: isPrint && answers === "nobody",
        },
        io,
      );
  const loaded = await loadRunSettings(flags, io);
  io.stderr.write(formatIgnored(loaded, flags.workspace));
  const asksAlways = flags.requireApproval === true;
  const configDir = configFolder(io);
  const rules = new SettingsRules(loaded, { load: () => loadRunSettings(flags, io), configDir, asksAlways });
  const model = await readModel(flags, loaded, session, io, needsKey);
  const mcp = runMcpServers(loaded, flags.workspace, io);
  return {
    prompt: text,
    session,
    workspace: flags.workspace,
    outputMode: isPrint ? outputFormat : "terminal",
    answers,
    stdinStream: flags.stdinPromptStream === true,
    signalOnlyExit: flags.signalOnlyExit === true,
    withMessages: flags.withMessages === true,
    mode: loaded.settings.mode,
    task: await readTaskSettings(loaded, flags, { configDir, rules, model }),
    mcp,
    commands: isPrint ? undefined : await readRunCommands(loaded, configDir),
    rules,
    isPermissionModeNamed: isNamed(loaded, ["permissions", "mode"]),
    asksAlways,
    model,
    dataDir: flags.dataDir,
    isEphemeral: flags.ephemeral === true,
    isPlain: flags.plain === true,
    attention: {
      bell: loaded.settings.terminal?.bell === true,
      title: loaded.settings.terminal?.title === true,
    },
    isVerbose: flags.verbose === true,
    oneshot: flags.oneshot === true,
    exitOnError: flags.exitOnError === true,
    usesWorktree: flags.worktree === true,
    debug: flags.debug === true,
    secrets: [
      flags.apiKey,
      ...Object.values(PROVIDERS).flatMap(({ keyVariables }) => keyVariables.map((name) => io.env[name])),
      ...model.profiles.flatMap(({ apiKey, headers = {} }) => [apiKey, ...Object.values(headers)]),
      ...secretsOf(mcp),
    ].filter((secret) => secret !== undefined),
  };
}

/** Whether the command line or the environment sets it. */
const isNamed = ({ entries }: LoadedSettings, name: readonly string[]): boolean =>
  entries.some(
    ({ path, source }) => path.join() === name.join() && (source === "flags" || source === "environment"),
  );

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
