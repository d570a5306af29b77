import path from "node:path";
import { z } from "zod";
import { readDocument } from "./document.ts";
import { SettingsError } from "./error.ts";
import type { Profile } from "./schema.ts";

const Keys = z.record(
  z.string(),
  z.string("expected a key as a text. Quote it.").min(1, "expected a key, received an empty text. Add it."),
  "expected a line `PROFILE: KEY` for each key. Correct it.",
);

export interface KeyOptions {
  /** The user's folder, with `keys.yaml`. */
  readonly configDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The API key of a profile: of its environment variable, or of `keys.yaml` in the user's folder. Undefined if the profile
 * has neither.
 *
 * @throws SettingsError `NO_KEY` if its variable is not set, `KEYS_EXPOSED` if others may read the file
 */
export async function readProfileKey(
  name: string,
  { keyVariable }: Pick<Profile, "keyVariable">,
  { configDir, env }: KeyOptions,
): Promise<string | undefined> {
  if (keyVariable !== undefined) {
    const key = env[keyVariable] ?? "";
    if (key !== "") return key;
    throw new SettingsError(
      "NO_KEY",
      `profile ${name}: expected its API key in the environment variable ${keyVariable}, which is not set. Set it, or name another with keyVariable.`,
    );
  }
  const file = path.join(configDir, "keys.yaml");
  const keys = await readDocument(file, Keys, { isPrivate: true, isSecret: true });
  return keys !== undefined && Object.hasOwn(keys.value, name) ? keys.value[name] : undefined;
}
