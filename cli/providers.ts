import { splitModelName } from "../adapters/models/provider.ts";
import { PROVIDER_NAMES } from "../adapters/models/table.ts";

/** The providers that the command has. */
export const RUN_PROVIDERS = [...PROVIDER_NAMES, "mock"] as const;
export type RunProvider = (typeof RUN_PROVIDERS)[number];

export const isRunProvider = (name: string): name is RunProvider =>
  RUN_PROVIDERS.some((each) => each === name);

/** The parts of a name such as `openai/gpt-5`. */
export const splitRunModel = (name: string) => splitModelName(name, RUN_PROVIDERS);

/** Whether one of these profiles is of the mock provider. */
export const hasMock = (profiles: readonly { readonly provider: RunProvider }[]): boolean =>
  profiles.some(({ provider }) => provider === "mock");
