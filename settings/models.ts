import type { ModelFacts, ModelTable } from "../adapters/models/facts.ts";
import type { ProviderName } from "../adapters/models/table.ts";
import type { Settings } from "./schema.ts";

/** The facts of the settings about the models of a provider, as a table for `factsOf`. */
export const modelsOf = ({ models = {} }: Pick<Settings, "models">, provider: ProviderName): ModelTable =>
  Object.fromEntries(
    Object.entries(models).flatMap(([name, model]) =>
      name.startsWith(`${provider}/`) ? [[name.slice(provider.length + 1), factsIn(model)] as const] : [],
    ),
  );

type Model = NonNullable<Settings["models"]>[string];

function factsIn({ contextWindow, maxTokens, temperature, topP, ...prices }: Model): ModelFacts {
  const facts = { contextWindow, maxTokens, temperature, topP };
  const { inputPrice: input, outputPrice: output } = prices;
  if (input === undefined || output === undefined) return facts;
  const { cacheWritesPrice: cacheWrite = input, cacheReadsPrice: cacheRead = input } = prices;
  return { ...facts, price: { input, output, cacheWrite, cacheRead } };
}
