import { PROVIDERS } from "../../adapters/models/provider.ts";
import type { ProviderName } from "../../adapters/models/table.ts";
import type { Io } from "../io.ts";
import type { ModelSettings, ProviderEnvironment } from "../run/settings.ts";

/** What the environment has for each provider. */
export function environmentOf(env: Io["env"]): ModelSettings["environment"] {
  const of = (provider: ProviderName): ProviderEnvironment => {
    const { keyVariables, urlVariable = "" } = PROVIDERS[provider];
    const hasKey = keyVariables.length === 0 || keyVariables.some((name) => env[name]);
    return { baseURL: env[urlVariable] || undefined, hasKey };
  };
  return {
    anthropic: of("anthropic"),
    openai: of("openai"),
    google: of("google"),
    "openai-compatible": of("openai-compatible"),
  };
}
