import { createHash } from "node:crypto";
import type { Protocol } from "../../../control/protocol.ts";
import type { RunRow } from "../../../control/runs/row.ts";
import { VERSION } from "../../../wire/version.ts";
import type { ControlModels } from "../controller.ts";
import type { UntrustedPolicy } from "../policies/untrusted.ts";
import type { ControlSetting } from "../setting/setting.ts";
import type { SuiteProtocol } from "./suite-protocols.ts";

/** The inputs of all runs of a suite. */
export interface Suite {
  readonly settings: readonly ControlSetting[];
  readonly policies: readonly UntrustedPolicy[];
  readonly protocols: readonly SuiteProtocol[];
  readonly models: ControlModels;
  /** Runs of each setting, protocol and policy. */
  readonly samples: number;
  readonly seed: number;
}

/** A run before it starts. Its row has the same setting, protocol, policy, sample, seed and inputs. */
export interface PlannedRun {
  readonly setting: ControlSetting;
  readonly policy: UntrustedPolicy;
  readonly protocol: Protocol;
  readonly models: ControlModels;
  readonly sample: number;
  readonly seed: number;
  readonly inputs: string;
}

/** The runs of a suite, in the order of its settings, policies, protocols and samples. */
export const plannedRuns = ({
  settings,
  policies,
  protocols,
  models,
  samples,
  seed,
}: Suite): readonly PlannedRun[] =>
  settings.flatMap((setting) =>
    policies.flatMap((policy) =>
      protocols.flatMap(({ protocol, source }) => {
        const inputs = digestOf(VERSION, setting.digest, source, ...namesOf(models));
        return Array.from({ length: samples }, (_, sample) => ({
          setting,
          policy,
          protocol,
          models,
          sample,
          seed,
          inputs,
        }));
      }),
    ),
  );

/** Scripts have no name: a suite of scripts has the same inputs as before. */
const namesOf = ({ monitor, trusted }: ControlModels): readonly string[] =>
  monitor === undefined && trusted === undefined ? [] : [monitor?.id ?? "", trusted?.id ?? ""];

const digestOf = (...parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);

/** The key of a run: no two rows of a file have the same. */
export const keyOf = ({ setting, policy, protocol, sample }: RunKey): string =>
  JSON.stringify([setting, policy, protocol, sample]);

export type RunKey = Pick<RunRow, "setting" | "policy" | "protocol" | "sample">;

export const keyOfPlanned = ({ setting, policy, protocol, sample }: PlannedRun): string =>
  keyOf({ setting: setting.name, policy: policy.name, protocol: protocol.name, sample });
