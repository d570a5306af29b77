import { PROVIDERS } from "../../adapters/models/index.ts";
import {
  type LoadedSettings,
  type Settings,
  selectHooks,
  selectPolicies,
  selectShell,
} from "../../settings/index.ts";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import type { RunSettings, Session } from "../run/index.ts";
import { readRunCommands } from "./commands.ts";
import { configFolder } from "./config-folder.ts";
import { loadRunSettings, withSettingsErrors } from "./load.ts";
import { runMcpServers, secretsOf } from "./mcp.ts";
import { readModel } from "./model.ts";
import { readRunModes } from "./modes.ts";
import { formatIgnored } from "./notice.ts";
import { runPermissions } from "./policy.ts";
import { readPrompt } from "./prompt.ts";
import type { RunFlags } from "./run-flags.ts";
import { SettingsRules } from "./run-rules.ts";
import { runTools } from "./tools.ts";

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
  const session = parseSession(flags);
  // The provider of a resumed task may be the mock.
  const isMock = flags.provider === "mock" || (flags.provider === undefined && session.kind !== "new");
  if (flags.script !== undefined && !isMock)
    throw new CliError("--script requires --provider mock. Add --provider mock.");
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
  const { mode, permissions, limits, checkpoints, browser } = loaded.settings;
  const asksAlways = flags.requireApproval === true;
  const configDir = configFolder(io);
  const rules = new SettingsRules(loaded, { load: () => loadRunSettings(flags, io), configDir, asksAlways });
  const model = await readModel(flags, loaded, session, io);
  const mcp = runMcpServers(loaded, flags.workspace, io);
  const shell = await withSettingsErrors(() => selectShell(loaded));
  return {
    prompt: text,
    session,
    workspace: flags.workspace,
    outputMode: isPrint ? outputFormat : "terminal",
    answers,
    stdinStream: flags.stdinPromptStream === true,
    signalOnlyExit: flags.signalOnlyExit === true,
    withMessages: flags.withMessages === true,
    mode,
    modes: await readRunModes(loaded),
    tools: runTools(loaded, model),
    mcp,
    commands: isPrint ? undefined : await readRunCommands(loaded, configDir),
    policy: rules.policy,
    rules,
    permissionMode: runPermissions(loaded, asksAlways).mode,
    isPermissionModeNamed: isNamed(loaded, ["permissions", "mode"]),
    asksAlways,
    followupTimeoutMs: permissions?.followupTimeoutMs,
    shell,
    hooks: selectHooks(loaded, shell),
    policies: await withSettingsErrors(() => selectPolicies(loaded, configDir)),
    browser: { executable: browser?.executable, sandbox: browser?.sandbox },
    model,
    dataDir: flags.dataDir,
    configDir,
    completion: flags.completion,
    queueDelivery: flags.queueDelivery ?? (flags.stdinPromptStream === true ? "one" : "all"),
    isEphemeral: flags.ephemeral === true,
    checkpoints: checkpoints !== false && flags.ephemeral !== true,
    isPlain: flags.plain === true,
    isVerbose: flags.verbose === true,
    oneshot: flags.oneshot === true,
    exitOnError: flags.exitOnError === true,
    limits: definedLimits(limits),
    budget: budgetOf(flags),
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

/** What the command line lets the task and its subtasks spend together. */
function budgetOf({ maxRequests, maxCost }: RunFlags): RunSettings["budget"] {
  if (maxRequests === undefined && maxCost === undefined) return undefined;
  return {
    ...(maxRequests !== undefined && { requests: maxRequests }),
    ...(maxCost !== undefined && { cost: maxCost }),
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
