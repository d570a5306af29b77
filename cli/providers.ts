import { PROVIDER_NAMES } from "../adapters/models/table.ts";

/** The providers that the command has. */
export const RUN_PROVIDERS = [...PROVIDER_NAMES, "mock"] as const;
export type RunProvider = (typeof RUN_PROVIDERS)[number];

export const isRunProvider = (name: string): name is RunProvider =>
  RUN_PROVIDERS.some((each) => each === name);

/** The parts of a name such as `openai/gpt-5`. No provider: the whole is the name of a model. */
export function splitModelName(name: string): { readonly provider?: RunProvider; readonly model: string } {
  const at = name.indexOf("/");
  const provider = name.slice(0, Math.max(at, 0));
  return isRunProvider(provider) ? { provider, model: name.slice(at + 1) } : { model: name };
}
