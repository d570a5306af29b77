import type { ChatModel } from "../../ports/model.ts";
import { anthropic } from "../anthropic/model.ts";
import { google } from "./google.ts";
import { openai } from "./openai.ts";

/** Providers whose models need no option but their id. */
const PROVIDERS = { anthropic, openai, google } as const;
type Provider = keyof typeof PROVIDERS;

/**
 * A model by its provider and its id, such as `anthropic/claude-sonnet-4-6`. Its key and its endpoint come from the
 * environment, as for the function with the name of the provider.
 */
export type ModelName = `${Provider}/${string}`;

/** The forms that a name may have, for the message about a wrong one. */
export const MODEL_NAMES = Object.keys(PROVIDERS)
  .map((provider) => `${provider}/ID`)
  .join(", ");

export const isModelName = (name: string): name is ModelName => parse(name) !== undefined;

/** The model itself, or the one with this name. */
export function modelOf(model: ChatModel | ModelName): ChatModel {
  if (typeof model !== "string") return model;
  const named = parse(model);
  if (named === undefined) throw new TypeError(`Expected one of ${MODEL_NAMES}, received ${model}.`);
  return PROVIDERS[named.provider]({ model: named.id });
}

/** The provider and the id of a model's name; undefined for a text that is no name. */
function parse(name: string): { readonly provider: Provider; readonly id: string } | undefined {
  const provider = (Object.keys(PROVIDERS) as Provider[]).find((known) => name.startsWith(`${known}/`));
  const id = name.slice((provider?.length ?? 0) + 1);
  return provider === undefined || id === "" ? undefined : { provider, id };
}
