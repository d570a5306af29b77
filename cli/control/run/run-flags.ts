import type { Protocol } from "../../../control/protocol.ts";
import { shippedProtocols } from "../../../control/protocols/shipped.ts";
import { CliError } from "../../error.ts";
import { POLICIES } from "../policies/policies.ts";
import type { ScriptedPolicy } from "../policies/policy.ts";
import { readSettings } from "../setting/shipped.ts";
import type { Suite } from "./planned-run.ts";

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
  const shipped: readonly Protocol[] = shippedProtocols({ threshold, auditBudget });
  return {
    protocols: named("--protocol", shipped, flags.protocol),
    policies: named<ScriptedPolicy>("--policy", POLICIES, flags.policy),
    settings: await readSettings(flags.setting),
    samples,
    seed,
    threshold,
    auditBudget,
  };
}

/** The values with these names. Default: all. */
function named<T extends { readonly name: string }>(
  flag: string,
  all: readonly T[],
  names: readonly string[] | undefined,
): readonly T[] {
  const unknown = names?.find((name) => !all.some((each) => each.name === name));
  if (unknown === undefined) return all.filter(({ name }) => names === undefined || names.includes(name));
  throw new CliError(
    `${flag}: expected one of ${all.map(({ name }) => `"${name}"`).join(", ")}, got "${unknown}".`,
  );
}
