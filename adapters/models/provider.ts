import type { ProviderName } from "./table.ts";

/** Default endpoint of `anthropic()`. */
export const PUBLIC_API = "https://api.anthropic.com";

/** How a provider is reached. */
export interface Provider {
  /** Variables of the environment that may have its key; the first that is set counts. None: it may take no key. */
  readonly keyVariables: readonly string[];
  /** Variable of the environment with its base URL. */
  readonly urlVariable?: string;
  /** Base URL of its public API. Absent: the user names one. */
  readonly publicApi?: string;
}

/** Providers by name. */
export const PROVIDERS: Readonly<Record<ProviderName, Provider>> = {
  anthropic: {
    keyVariables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    urlVariable: "ANTHROPIC_BASE_URL",
    publicApi: PUBLIC_API,
  },
  openai: {
    keyVariables: ["OPENAI_API_KEY"],
    urlVariable: "OPENAI_BASE_URL",
    publicApi: "https://api.openai.com/v1",
  },
  google: {
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    publicApi: "https://generativelanguage.googleapis.com/v1beta",
  },
  "openai-compatible": { keyVariables: [] },
};

/** The parts of a name such as `openai/gpt-5`. Without one of the providers: the whole is the name of a model. */
export function splitModelName<P extends string>(
  name: string,
  providers: readonly P[],
): { readonly provider?: P; readonly model: string } {
  const provider = providers.find((each) => name.startsWith(`${each}/`));
  return provider === undefined ? { model: name } : { provider, model: name.slice(provider.length + 1) };
}
