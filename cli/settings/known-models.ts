import { PROVIDERS } from "../../adapters/models/provider.ts";
import { MODELS, PROVIDER_NAMES, type ProviderName } from "../../adapters/models/table.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { modelsOf } from "../../settings/models.ts";
import type { ModelProfile, ModelSettings } from "../run/settings.ts";

/**
 * The facts of the settings about models, and the models that a task can select by `PROVIDER/NAME`: those with known facts, of
 * providers with a key. Where a provider has no endpoint of its own, the models of the first profile with one.
 */
export function knownModels(
  { settings }: Pick<LoadedSettings, "settings">,
  environment: ModelSettings["environment"],
  profiles: readonly ModelProfile[],
): Pick<ModelSettings, "tables" | "known"> {
  const tables = {
    anthropic: modelsOf(settings, "anthropic"),
    openai: modelsOf(settings, "openai"),
    google: modelsOf(settings, "google"),
    "openai-compatible": modelsOf(settings, "openai-compatible"),
  };
  const known = PROVIDER_NAMES.flatMap((provider) => {
    const connection = connectionOf(provider, environment, profiles);
    if (connection === undefined) return [];
    const names = Object.keys({ ...MODELS[provider], ...tables[provider] });
    return names
      .filter((model) => !model.endsWith("*"))
      .map((model) => ({ ...connection, name: `${provider}/${model}`, provider, model }));
  });
  return { tables, known };
}

type Connection = Pick<ModelProfile, "endpoint" | "headers" | "apiKey" | "keySource" | "problem">;

/** Undefined where the provider can't be reached. */
function connectionOf(
  provider: ProviderName,
  environment: ModelSettings["environment"],
  profiles: readonly ModelProfile[],
): Connection | undefined {
  if (PROVIDERS[provider].publicApi !== undefined) return environment[provider].hasKey ? {} : undefined;
  const profile = profiles.find((each) => each.provider === provider && each.endpoint !== undefined);
  if (profile === undefined) return undefined;
  const { endpoint, headers, apiKey, keySource, problem } = profile;
  return { endpoint, headers, apiKey, keySource, problem };
}
