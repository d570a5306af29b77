import { DEFAULT_MODE } from "../../machines/task/index.ts";
import {
  type LoadedSettings,
  type NamedProfile,
  readProfileKey,
  SettingsError,
  selectProfile,
} from "../../settings/index.ts";
import type { ReasoningEffort, RunFlags } from "../commands/run-flags.ts";
import type { Io } from "../io.ts";
import { type ModelProfile, type ModelSettings, noKey, type Session } from "../run/index.ts";
import { configFolder } from "./config-folder.ts";
import { withSettingsErrors } from "./load.ts";

type ModelFlags = Pick<RunFlags, "provider" | "model" | "script" | "apiKey" | "baseUrl" | "reasoningEffort">;

/**
 * The models of a run. A task that is resumed without --provider may be one of the mock provider, which takes no key.
 *
 * @throws CliError without an API key, or for a profile that can't be used
 */
export async function readModel(
  flags: ModelFlags,
  loaded: LoadedSettings,
  session: Session,
  io: Io,
): Promise<ModelSettings> {
  const { provider, model, script, apiKey, baseUrl, reasoningEffort } = flags;
  const isNew = session.kind === "new";
  const profile = await withSettingsErrors(() => readProfile(flags, loaded, isNew, io));
  const applied = isNew || profile?.isExplicit === true ? profile : undefined;
  const { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_BASE_URL } = io.env;
  const hasKey = Boolean(apiKey || ANTHROPIC_API_KEY || ANTHROPIC_AUTH_TOKEN);
  const used = provider ?? applied?.provider ?? (isNew ? "anthropic" : undefined);
  if (used === "anthropic" && !hasKey && applied?.apiKey === undefined) throw noKey();
  return {
    provider,
    id: model,
    baseURL: baseUrl || undefined,
    defaultBaseURL: ANTHROPIC_BASE_URL || undefined,
    apiKey,
    hasKey,
    effort: parseEffort(reasoningEffort),
    script,
    profile,
  };
}

/** The profile, unless the command line names another provider. */
async function readProfile(
  { provider, apiKey }: ModelFlags,
  loaded: LoadedSettings,
  isNew: boolean,
  io: Io,
): Promise<ModelProfile | undefined> {
  const selected = selectProfile(loaded, loaded.settings.mode ?? DEFAULT_MODE);
  if (selected === undefined || (provider !== undefined && provider !== selected.provider)) return undefined;
  const isExplicit = loaded.entries.some(
    ({ path: [first], source }) => first === "profile" && (source === "flags" || source === "environment"),
  );
  const key = apiKey || (await keyOf(selected, isNew || isExplicit, io));
  const { model, endpoint, headers, tools } = selected;
  return {
    provider: selected.provider,
    model,
    endpoint,
    headers,
    tools,
    apiKey: key || undefined,
    isExplicit,
  };
}

/** A resumed task may have another model, which needs no key of the profile. */
async function keyOf(profile: NamedProfile, isNeeded: boolean, io: Io): Promise<string | undefined> {
  if (profile.provider !== "anthropic") return undefined;
  try {
    return await readProfileKey(profile.name, profile, { configDir: configFolder(io), env: io.env });
  } catch (error) {
    if (!isNeeded && error instanceof SettingsError && error.code === "no_key") return undefined;
    throw error;
  }
}

/** The level that the API knows; undefined leaves it to the model. */
function parseEffort(effort: ReasoningEffort | undefined): ModelSettings["effort"] {
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
