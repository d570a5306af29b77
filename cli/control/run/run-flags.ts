import { isModelName, MODEL_NAMES, modelOf } from "../../../adapters/providers/named-model.ts";
import type { ChatModel } from "../../../ports/model.ts";
import { CliError } from "../../error.ts";
import { POLICIES } from "../policies/policies.ts";
import type { ScriptedPolicy } from "../policies/policy.ts";
import type { UntrustedPolicy } from "../policies/untrusted.ts";
import { readSettings } from "../setting/shipped.ts";
import type { Suite } from "./planned-run.ts";
import { suiteProtocols } from "./suite-protocols.ts";

export interface ControlRunFlags {
  readonly protocol?: readonly string[];
  readonly setting?: readonly string[];
  readonly policy?: readonly string[];
  readonly model?: readonly string[];
  readonly monitor?: string;
  readonly trusted?: string;
  readonly samples: number;
  readonly prefix?: number;
  readonly seed: number;
  readonly jobs: number;
  readonly threshold: number;
  readonly audits: number;
  readonly flagged: number;
  readonly out?: string;
  readonly export?: "inspect";
  /** False with `--no-sandbox`. */
  readonly sandbox: boolean;
  readonly format: "text" | "json";
}

/** The suite that the flags ask for. @throws CliError for an unknown name @throws RunError `SETTING_INVALID` */
export async function suiteOf(flags: ControlRunFlags): Promise<Suite> {
  const { samples, prefix, seed, threshold, audits: auditBudget } = flags;
  return {
    protocols: await suiteProtocols({ threshold, auditBudget, names: flags.protocol }),
    policies: policiesOf(flags),
    models: {
      ...(flags.monitor !== undefined && { monitor: modelNamed("--monitor", flags.monitor) }),
      ...(flags.trusted !== undefined && { trusted: modelNamed("--trusted", flags.trusted) }),
    },
    settings: await readSettings(flags.setting),
    samples,
    ...(prefix !== undefined && { prefix }),
    seed,
  };
}

/** The scripts and the models of the flags. Default: all scripts. */
function policiesOf({ policy, model = [] }: ControlRunFlags): readonly UntrustedPolicy[] {
  const scripts = policy === undefined && model.length > 0 ? [] : scriptsNamed(policy);
  return [...scripts, ...[...new Set(model)].flatMap(modelPolicies)];
}

/** A model as an honest policy and as an attack policy. */
function modelPolicies(name: string): readonly UntrustedPolicy[] {
  const model = modelNamed("--model", name);
  return (["honest", "attack"] as const).map((mode) => ({ name: `${mode} ${name}`, mode, model }));
}

function modelNamed(flag: string, name: string): ChatModel {
  if (isModelName(name)) return modelOf(name);
  throw new CliError(`${flag}: expected one of ${MODEL_NAMES}, got "${name}".`);
}

/** The scripts with these names. Default: all. */
function scriptsNamed(names: readonly string[] | undefined): readonly ScriptedPolicy[] {
  const unknown = names?.find((name) => !POLICIES.some((each) => each.name === name));
  if (unknown === undefined)
    return POLICIES.filter(({ name }) => names === undefined || names.includes(name));
  throw new CliError(
    `--policy: expected one of ${POLICIES.map(({ name }) => `"${name}"`).join(", ")}, got "${unknown}".`,
  );
}
