import type { LoadedSettings } from "../../settings/index.ts";
import { builtinTools, type Tool } from "../../tools/index.ts";
import type { ModelSettings } from "../run/index.ts";

/** The tools of a run: what the settings or the profile exclude is left out. A resumed task has those of a new one. */
export function runTools(
  { settings: { tools } }: Pick<LoadedSettings, "settings">,
  { profile }: Pick<ModelSettings, "profile">,
): readonly Tool[] {
  return builtinTools({
    include: [...(tools?.include ?? []), ...(profile?.tools?.include ?? [])],
    exclude: [...(tools?.exclude ?? []), ...(profile?.tools?.exclude ?? [])],
  });
}
