import { DEFAULT_MODE } from "../../machines/task/mode.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { builtinTools } from "../../tools/builtin/index.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ModelSettings } from "../run/settings.ts";

/** The tools of a run: what the settings or the profile exclude is left out. A resumed task has those of a new one. */
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
