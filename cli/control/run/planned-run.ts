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
  /** Requests that these runs share. Absent: they share none. */
  readonly prefix?: number;
  readonly seed: number;
}

/** The inputs that the runs of a group have in common. */
interface RunInputs {
  readonly setting: ControlSetting;
  readonly policy: UntrustedPolicy;
  readonly protocol: Protocol;
  readonly models: ControlModels;
  readonly seed: number;
  readonly inputs: string;
}

/** A run before it starts. Its row has the same setting, protocol, policy, sample, seed and inputs. */
export interface PlannedRun extends RunInputs {
  readonly sample: number;
}

/** Runs that are one unit of work, with the same setting, protocol and policy: one run, or all that share a prefix. */
export interface RunGroup extends RunInputs {
  readonly samples: readonly number[];
  /** Requests that the runs share. */
  readonly prefix?: number;
}

/** The runs of a group, in the order of its samples. */
export const runsOf = ({ samples, prefix: _, ...inputs }: RunGroup): readonly PlannedRun[] =>
  samples.map((sample) => ({ ...inputs, sample }));

/** The runs of a suite in their groups, in the order of its settings, policies, protocols and samples. */
export const plannedGroups = (suite: Suite): readonly RunGroup[] =>
  suite.settings.flatMap((setting) =>
    suite.policies.flatMap((policy) =>
      suite.protocols.flatMap(({ protocol, source }) => {
        const { models, seed } = suite;
        const inputs = digestOf(VERSION, setting.digest, source, ...namesOf(models), ...forksOf(suite));
        return samplesOf(suite).map((of) => ({ setting, policy, protocol, models, seed, inputs, ...of }));
      }),
    ),
  );

/** The samples of the groups with one setting, policy and protocol. */
function samplesOf({ samples: count, prefix }: Suite): readonly Pick<RunGroup, "samples" | "prefix">[] {
  const samples = Array.from({ length: count }, (_, sample) => sample);
  return prefix === undefined ? samples.map((sample) => ({ samples: [sample] })) : [{ samples, prefix }];
}

/** Rows of another prefix or another number of samples from it are refused. Other rows have the same inputs as before. */
const forksOf = ({ prefix, samples }: Suite): readonly string[] =>
  prefix === undefined ? [] : [`${samples} samples after ${prefix} requests`];

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
