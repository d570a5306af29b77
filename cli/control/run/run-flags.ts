import { CliError } from "../../error.ts";
import { POLICIES } from "../policies/policies.ts";
import type { ScriptedPolicy } from "../policies/policy.ts";
import { readSettings } from "../setting/shipped.ts";
import type { Suite } from "./planned-run.ts";
import { suiteProtocols } from "./suite-protocols.ts";

export interface ControlRunFlags {
  readonly protocol?: readonly string[];
  readonly setting?: readonly string[];
  readonly policy?: readonly string[];
  readonly samples: number;
  readonly seed: number;
  readonly jobs: number;
  readonly threshold: number;
  readonly audits: number;
  readonly flagged: number;
  readonly out?: string;
  /** False with `--no-sandbox`. */
  readonly sandbox: boolean;
  readonly format: "text" | "json";
}

/** The suite that the flags ask for. @throws CliError for an unknown name @throws RunError `SETTING_INVALID` */
export async function suiteOf(flags: ControlRunFlags): Promise<Suite> {
  const { samples, seed, threshold, audits: auditBudget } = flags;
  return {
    protocols: await suiteProtocols({ threshold, auditBudget, names: flags.protocol }),
    policies: policiesNamed(flags.policy),
    settings: await readSettings(flags.setting),
    samples,
    seed,
  };
}

/** The policies with these names. Default: all. */
function policiesNamed(names: readonly string[] | undefined): readonly ScriptedPolicy[] {
  const unknown = names?.find((name) => !POLICIES.some((each) => each.name === name));
  if (unknown === undefined)
    return POLICIES.filter(({ name }) => names === undefined || names.includes(name));
  throw new CliError(
    `--policy: expected one of ${POLICIES.map(({ name }) => `"${name}"`).join(", ")}, got "${unknown}".`,
  );
}
