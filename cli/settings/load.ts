import { openHistory } from "../../runtime/task-history/task-history.ts";
import type { SettingEntry } from "../../settings/entry.ts";
import { SettingsError } from "../../settings/error.ts";
import { type LoadedSettings, loadSettings } from "../../settings/load.ts";
import type { SettingPath } from "../../settings/schema.ts";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import { configFolder } from "./config-folder.ts";
import type { RunFlags } from "./run-flags.ts";

/** The flags that are settings, each with its origin and its path. */
const SETTING_FLAGS = [
  ["profile", "--profile", "profile"],
  ["permissionMode", "--permission-mode", "permissions.mode"],
  ["yes", "--yes", "permissions.mode"],
  ["allow", "--allow", "permissions.allow"],
  ["deny", "--deny", "permissions.deny"],
  ["maxRequests", "--max-requests", "limits.requests"],
  ["maxCost", "--max-cost", "limits.cost"],
  ["mode", "--mode", "mode"],
  ["consecutiveMistakeLimit", "--consecutive-mistake-limit", "limits.mistakes"],
  ["checkpoints", "--no-checkpoints", "checkpoints"],
] as const satisfies readonly (readonly [name: keyof RunFlags, origin: string, setting: SettingPath])[];

/** The flags that select or change settings. */
export type SettingFlags = Partial<
  Pick<RunFlags, "workspace" | "sessionId" | "dataDir" | (typeof SETTING_FLAGS)[number][0]>
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
  if (sessionId === undefined || dataDir === undefined) return undefined;
  const history = openHistory({ dataDir });
  try {
    return (await history.summary(await history.find(sessionId))).workspace;
  } catch {
    return undefined;
  }
}

function entriesOf({ yes, checkpoints, ...flags }: SettingFlags): readonly Omit<SettingEntry, "source">[] {
  const values = {
    ...flags,
    yes: yes === true ? "bypass" : undefined,
    checkpoints: checkpoints === false ? false : undefined,
  };
  return SETTING_FLAGS.flatMap(([name, origin, setting]) =>
    [values[name] ?? []].flat().map((value) => ({ path: setting.split("."), value, origin })),
  );
}
