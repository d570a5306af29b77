import { openHistory } from "../../runtime/index.ts";
import { type LoadedSettings, loadSettings, type SettingEntry, SettingsError } from "../../settings/index.ts";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import { configFolder } from "./config-folder.ts";
import type { RunFlags } from "./run-flags.ts";

/** The flags that are settings. */
export type SettingFlags = Pick<
  RunFlags,
  | "workspace"
  | "sessionId"
  | "dataDir"
  | "profile"
  | "permissionMode"
  | "yes"
  | "mode"
  | "consecutiveMistakeLimit"
  | "maxRequests"
  | "maxCost"
  | "allow"
  | "deny"
  | "checkpoints"
>;

/** Read the settings of a run. @throws CliError for settings that can't be used */
export function loadRunSettings(flags: SettingFlags, io: Pick<Io, "env">): Promise<LoadedSettings> {
  return withSettingsErrors(async () =>
    loadSettings({
      configDir: configFolder(io),
      workspace: flags.workspace ?? (await recordedWorkspace(flags)) ?? ".",
      env: io.env,
      flags: entriesOf(flags),
    }),
  );
}

/** Convert expected errors of settings to errors of the command. */
export async function withSettingsErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof SettingsError ? new CliError(error.message, { cause: error }) : error;
  }
}

/** A task that can't be read is reported when it is opened. */
async function recordedWorkspace({ sessionId, dataDir }: SettingFlags): Promise<string | undefined> {
  if (sessionId === undefined) return undefined;
  const history = openHistory({ dataDir });
  try {
    return (await history.summary(await history.find(sessionId))).workspace;
  } catch {
    return undefined;
  }
}

function entriesOf(flags: SettingFlags): readonly Omit<SettingEntry, "source">[] {
  const { profile, permissionMode, yes, mode, consecutiveMistakeLimit: mistakes, checkpoints } = flags;
  const { maxRequests, maxCost, allow = [], deny = [] } = flags;
  const entry = (origin: string, path: readonly string[], value: unknown) =>
    value === undefined ? [] : [{ path, value, origin }];
  return [
    ...entry("--profile", ["profile"], profile),
    ...entry("--permission-mode", ["permissions", "mode"], permissionMode),
    ...entry("--yes", ["permissions", "mode"], yes === true ? "bypass" : undefined),
    ...allow.flatMap((rule) => entry("--allow", ["permissions", "allow"], rule)),
    ...deny.flatMap((rule) => entry("--deny", ["permissions", "deny"], rule)),
    ...entry("--max-requests", ["limits", "requests"], maxRequests),
    ...entry("--max-cost", ["limits", "cost"], maxCost),
    ...entry("--mode", ["mode"], mode),
    ...entry("--consecutive-mistake-limit", ["limits", "mistakes"], mistakes),
    ...entry("--no-checkpoints", ["checkpoints"], checkpoints ? undefined : false),
  ];
}
