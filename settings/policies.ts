import path from "node:path";
import {
  compilePolicies,
  SHIPPED_NAMES,
  shippedPolicy,
  TemporalError,
  type TemporalPolicy,
} from "../temporal/index.ts";
import { SettingsError } from "./error.ts";
import { readPolicyFile } from "./policy-file.ts";

/** A text that is a path of a file. */
const FILE = /\.(ya?ml|json)$/;

/**
 * The policies over time that a setting or an option names: shipped ones, such as `rule-of-two`, and those of files.
 *
 * @param folder what the paths of files are relative to
 * @param inside the folder that the files must be in. Default: any
 * @throws SettingsError `unknown_policy`, `bad_settings`, `unreadable_settings`
 */
export async function readPolicies(
  names: readonly string[],
  folder: string,
  inside?: string,
): Promise<readonly TemporalPolicy[]> {
  const found = await Promise.all(names.map((name) => policiesOf(name, folder, inside)));
  return found.flat();
}

async function policiesOf(
  name: string,
  folder: string,
  inside: string | undefined,
): Promise<readonly TemporalPolicy[]> {
  if (FILE.test(name)) {
    const policies = await readPolicyFile(path.resolve(folder, name), inside === undefined ? {} : { inside });
    assertCompilable(name, policies);
    return policies;
  }
  const message = policyNameError(name);
  const shipped = shippedPolicy(name);
  if (message !== undefined || shipped === undefined)
    throw new SettingsError("unknown_policy", message ?? `expected a policy, received ${name}. Correct it.`);
  return [shipped];
}

/** Why a text names no policy and no file of policies. Undefined: it names one, which may not exist. */
export function policyNameError(name: string): string | undefined {
  if (FILE.test(name)) return undefined;
  const shipped = shippedPolicy(name);
  if (shipped === undefined)
    return `expected a file .yaml, .yml or .json, or one of ${SHIPPED_NAMES.join(", ")}; received '${name.slice(0, 100)}'. Correct it.`;
  try {
    compilePolicies([shipped]);
    return undefined;
  } catch (error) {
    return `${name.slice(0, 100)}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function assertCompilable(name: string, policies: readonly TemporalPolicy[]): void {
  try {
    compilePolicies(policies);
  } catch (error) {
    if (!(error instanceof TemporalError)) throw error;
    throw new SettingsError("bad_settings", `${name}: ${error.message}`, { cause: error });
  }
}
