import type { ChatModel } from "../../ports/model.ts";
import { anthropic } from "../anthropic/model.ts";
import { splitModelName } from "../models/provider.ts";
import { google } from "./google.ts";
import { openai } from "./openai.ts";

/** Providers whose models need no option but their id. */
const BY_PROVIDER = { anthropic, openai, google } as const;
const PROVIDERS = ["anthropic", "openai", "google"] as const satisfies (keyof typeof BY_PROVIDER)[];

/**
 * A model by its provider and its id, such as `anthropic/claude-sonnet-4-6`. Its key and its endpoint come from the
 * environment, as for the function with the name of the provider.
 */
export type ModelName = `${(typeof PROVIDERS)[number]}/${string}`;

/** The forms that a name may have, for the message about a wrong one. */
export const MODEL_NAMES = PROVIDERS.map((provider) => `${provider}/ID`).join(", ");

/** Whether a text names a provider and an id. */
export function isModelName(name: string): name is ModelName {
  const { provider, model } = splitModelName(name, PROVIDERS);
  return provider !== undefined && model !== "";
}

/** The model itself, or the one with this name. */
export function modelOf(model: ChatModel | ModelName): ChatModel {
  if (typeof model !== "string") return model;
  const { provider, model: id } = splitModelName(model, PROVIDERS);
  if (provider === undefined) throw new TypeError(`Expected one of ${MODEL_NAMES}, received ${model}.`);
  return BY_PROVIDER[provider]({ model: id });
}
