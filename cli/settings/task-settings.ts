import { systemBrowser } from "../../adapters/browser/browser.ts";
import { DEFAULT_MODE } from "../../machines/task/mode.ts";
import { selectHooks } from "../../settings/hooks.ts";
import { openIntents } from "../../settings/intents.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { selectPolicies } from "../../settings/policies.ts";
import { selectSandbox } from "../../settings/sandbox.ts";
import type { Settings } from "../../settings/schema.ts";
import { selectShell } from "../../settings/shell.ts";
import { builtinTools } from "../../tools/builtin/builtin-tools.ts";
import type { Tool } from "../../tools/tool.ts";
import { followupExpiry } from "../run/followup.ts";
import type { ModelSettings, TaskSettings } from "../run/settings.ts";
import { withSettingsErrors } from "./load.ts";
import { readRunModes } from "./modes.ts";
import type { RunFlags } from "./run-flags.ts";
import type { SettingsRules } from "./run-rules.ts";

const MINUTE_MS = 60_000;

/** The parts of a run that the options of its tasks need. */
export interface TaskParts {
  readonly configDir: string;
  readonly rules: Pick<SettingsRules, "policy" | "permissionMode">;
  readonly model: ModelSettings;
}

/** Convert the settings and the flags of a run to the options of its tasks. @throws CliError for settings that can't be used */
export async function readTaskSettings(
  loaded: LoadedSettings,
  flags: RunFlags,
  { configDir, rules, model }: TaskParts,
): Promise<TaskSettings> {
  const { permissions, limits, checkpoints, isolation, wakeUp, browser, environment } = loaded.settings;
  const { backgroundSubtasks } = loaded.settings;
  const { completion, maxRequests, maxCost } = flags;
  const shell = await withSettingsErrors(() => selectShell(loaded));
  const modes = await readRunModes(loaded);
  const sandbox = selectSandbox(loaded, configDir);
  const hooks = selectHooks(loaded, shell, sandbox.accesses);
  const policies = await withSettingsErrors(() => selectPolicies(loaded, configDir));
  return {
    tools: runTools(loaded, model),
    permissions: {
      judge: rules.policy,
      level: rules.permissionMode,
      ...(policies.length > 0 && { policies }),
    },
    intents: openIntents,
    modes,
    configDir,
    shell,
    ...(sandbox.commands !== undefined && { sandbox: sandbox.commands }),
    checkpoints: checkpoints !== false && flags.ephemeral !== true,
    // The files of an ephemeral run are not kept for a merge.
    ...(isolation !== undefined && flags.ephemeral !== true && { isolation }),
    ...(backgroundSubtasks !== undefined && { backgroundSubtasks }),
    ...(wakeUp !== undefined && {
      wakeUp: { everyMs: wakeUp.everyMinutes * MINUTE_MS, message: wakeUp.message },
    }),
    queueDelivery: flags.queueDelivery ?? (flags.stdinPromptStream === true ? "one" : "all"),
    autoRetry: flags.exitOnError !== true,
    limits: definedLimits(limits),
    browser: () => systemBrowser({ executable: browser?.executable, sandbox: browser?.sandbox }),
    ...(environment?.fileNames !== undefined && {
      environmentLimits: { fileNames: environment.fileNames },
    }),
    ...(hooks.length > 0 && { hooks }),
    ...(completion !== undefined && { completion }),
    // The limits of flags also count for the task and its subtasks together.
    ...((maxRequests ?? maxCost) !== undefined && {
      budget: definedLimits({ requests: maxRequests, cost: maxCost }),
    }),
    ...(permissions?.followupTimeoutMs !== undefined && {
      expiry: followupExpiry(permissions.followupTimeoutMs),
    }),
  };
}

/** The limits that are set. */
const definedLimits = ({ requests, cost, mistakes }: NonNullable<Settings["limits"]> = {}) => ({
  ...(requests !== undefined && { requests }),
  ...(cost !== undefined && { cost }),
  ...(mistakes !== undefined && { mistakes }),
});

/** The tools of a run: what the settings or the profile exclude is left out. A resumed task has the tools of a new one. */
export function runTools(
  { settings: { tools, browser, mode = DEFAULT_MODE } }: Pick<LoadedSettings, "settings">,
  { profile: standard, profiles, modeProfiles }: Pick<ModelSettings, "profile" | "profiles" | "modeProfiles">,
): readonly Tool[] {
  const profile = profiles.find(({ name }) => name === modeProfiles[mode]) ?? standard;
  return builtinTools({
    include: [...(tools?.include ?? []), ...(profile?.tools?.include ?? [])],
    exclude: [...(tools?.exclude ?? []), ...(profile?.tools?.exclude ?? [])],
    browser: { allowPrivate: browser?.allowPrivate ?? [] },
  });
}
