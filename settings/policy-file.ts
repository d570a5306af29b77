import { compilePolicies } from "../tools/temporal/monitor.ts";
import type { TemporalPolicy } from "../tools/temporal/policy.ts";
import { PolicyFileSchema } from "../tools/temporal/policy-file.ts";
import { SHIPPED_NAMES, shippedPolicy } from "../tools/temporal/shipped.ts";
import { parseDocument } from "./document.ts";
import { SettingsError } from "./error.ts";
import { readTextFile, type TextFileOptions } from "./text-file.ts";

/** Whether the name of a policy is the path of a file. */
export const isPolicyFile = (name: string): boolean => /\.(ya?ml|json)$/.test(name);

/** The reason why a text names no policy and no file of policies. Undefined: it names one, which may not exist. */
export function policyNameError(name: string): string | undefined {
  if (isPolicyFile(name)) return undefined;
  const shipped = shippedPolicy(name);
  if (shipped === undefined)
    return `expected a file .yaml, .yml or .json, or one of ${SHIPPED_NAMES.join(", ")}; received '${name.slice(0, 100)}'. Correct it.`;
  try {
    compilePolicies([shipped]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Parse policies over time from YAML or JSON (docs/guide/temporal-policies.md).
 *
 * @throws SettingsError `SETTINGS_INVALID`, whose message has a line `FILE:LINE:COLUMN: key: ...` for each problem
 */
export async function parsePolicies(text: string, file: string): Promise<readonly TemporalPolicy[]> {
  const { value } = await parseDocument(text, file, PolicyFileSchema);
  return value.policies;
}

/**
 * Read a file of policies over time.
 *
 * @throws SettingsError `SETTINGS_INVALID`, `SETTINGS_UNREADABLE`
 */
export async function readPolicyFile(
  file: string,
  options: TextFileOptions = {},
): Promise<readonly TemporalPolicy[]> {
  const text = await readTextFile(file, options);
  if (text !== undefined) return parsePolicies(text, file);
  throw new SettingsError(
    "SETTINGS_UNREADABLE",
    `${file}: expected a file of policies, received none. Correct the path.`,
  );
}
