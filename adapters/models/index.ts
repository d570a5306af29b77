export { factsOf, type ModelFacts, type ModelTable, prefixOf, pricesByPrefix } from "./facts.ts";
export { costOf, type Price, type PriceTable } from "./price.ts";
export { PROVIDERS, PUBLIC_API } from "./provider.ts";
export { MODELS, PROVIDER_NAMES, type ProviderName } from "./table.ts";
