import { PolicyFileSchema, type TemporalPolicy } from "../temporal/index.ts";
import { parseDocument } from "./document.ts";
import { SettingsError } from "./error.ts";
import { readTextFile, type TextFileOptions } from "./text-file.ts";

/**
 * Parse policies over time from YAML or JSON (docs/guide/temporal-policies.md).
 *
 * @throws SettingsError `bad_settings`, whose message has a line `FILE:LINE:COLUMN: key: ...` for each problem
 */
export async function parsePolicies(text: string, file: string): Promise<readonly TemporalPolicy[]> {
  const { value } = await parseDocument(text, file, PolicyFileSchema);
  return value.policies;
}

/**
 * Read a file of policies over time.
 *
 * @throws SettingsError `bad_settings`, `unreadable_settings`
 */
export async function readPolicyFile(
  file: string,
  options: TextFileOptions = {},
): Promise<readonly TemporalPolicy[]> {
  const text = await readTextFile(file, options);
  if (text !== undefined) return parsePolicies(text, file);
  throw new SettingsError(
    "unreadable_settings",
    `${file}: expected a file of policies, received none. Correct the path.`,
  );
}
