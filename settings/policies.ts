import path from "node:path";
import { assertConsistent } from "../tools/temporal/consistency.ts";
import { TemporalError } from "../tools/temporal/error.ts";
import { compilePolicies } from "../tools/temporal/monitor.ts";
import type { TemporalPolicy } from "../tools/temporal/policy.ts";
import { shippedPolicy } from "../tools/temporal/shipped.ts";
import type { SettingEntry } from "./entry.ts";
import { SettingsError } from "./error.ts";
import { isPolicyFile, policyNameError, readPolicyFile } from "./policy-file.ts";

/** The folder of a project's settings. */
const PROJECT_FOLDER = ".signalbox";

/**
 * The policies over time that a setting or an option names: shipped ones, such as `rule-of-two`, and policies in files.
 *
 * @param folder what the paths of files are relative to
 * @param inside the folder that the files must be in. Default: any
 * @throws SettingsError `POLICY_UNKNOWN`, `SETTINGS_INVALID`, `SETTINGS_UNREADABLE`
 */
export async function readPolicies(
  names: readonly string[],
  folder: string,
  inside?: string,
): Promise<readonly TemporalPolicy[]> {
  const found = (await Promise.all(names.map((name) => policiesOf(name, folder, inside)))).flat();
  const problem = problemOf(found);
  if (problem === undefined) return found;
  throw new SettingsError("SETTINGS_INVALID", `${names.join(", ")}: ${problem.message}`, { cause: problem });
}

/** The settings in effect, and the project's folder. */
interface PolicySettings {
  readonly entries: readonly SettingEntry[];
  readonly project: { readonly folder: string } | undefined;
}

/**
 * The policies over time of the settings, the user's first. A path is relative to the folder of its settings file;
 * the file of a project must be in the project.
 *
 * @throws SettingsError `POLICY_UNKNOWN`, `SETTINGS_INVALID`, `SETTINGS_UNREADABLE`
 */
export async function selectPolicies(
  { entries, project }: PolicySettings,
  configDir: string,
): Promise<readonly TemporalPolicy[]> {
  const named = entries.filter((entry) => entry.path.join() === "policies");
  const read = await Promise.all(named.map((entry) => policiesIn(entry, project?.folder ?? "", configDir)));
  const problem = problemOf(read.flat());
  if (problem === undefined) return read.flat();
  // The line that is one too many, with those before it.
  const last = named.find((_, at) => problemOf(read.slice(0, at + 1).flat()) !== undefined);
  throw new SettingsError("SETTINGS_INVALID", `${last?.origin}: policies: ${problem.message}`, {
    cause: problem,
  });
}

async function policiesIn(
  { value, source, origin }: SettingEntry,
  project: string,
  configDir: string,
): Promise<readonly TemporalPolicy[]> {
  const names = [String(value)];
  try {
    if (source !== "project") return await readPolicies(names, configDir);
    return await readPolicies(names, path.join(project, PROJECT_FOLDER), project);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new SettingsError(error.code, `${origin}: policies: ${error.message}`, { cause: error });
  }
}

async function policiesOf(
  name: string,
  folder: string,
  inside: string | undefined,
): Promise<readonly TemporalPolicy[]> {
  if (isPolicyFile(name))
    return readPolicyFile(path.resolve(folder, name), inside === undefined ? {} : { inside });
  const message = policyNameError(name);
  const shipped = shippedPolicy(name);
  if (message === undefined && shipped !== undefined) return [shipped];
  throw new SettingsError("POLICY_UNKNOWN", `${name.slice(0, 100)}: ${message}`);
}

/** The reason why policies can't be compiled, or how they contradict each other. */
function problemOf(policies: readonly TemporalPolicy[]): TemporalError | undefined {
  try {
    compilePolicies(policies);
    assertConsistent(policies);
    return undefined;
  } catch (error) {
    if (error instanceof TemporalError) return error;
    throw error;
  }
}
