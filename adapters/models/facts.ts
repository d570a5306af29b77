import type { Price, PriceTable } from "./price.ts";
import type { Sampling } from "./sampling.ts";

/** The facts of a model, and how it chooses its words. */
export interface ModelFacts extends Sampling {
  /** Tokens of a request and its response together. */
  readonly contextWindow?: number | undefined;
  /** Tokens of the longest response. */
  readonly maxTokens?: number | undefined;
  readonly price?: Price | undefined;
}

/** Facts by model: an id, which also names its dated versions, or the beginning of ids before a `*`. */
export type ModelTable = Readonly<Record<string, ModelFacts>>;

/**
 * Each fact about a model, from the last of the tables that has it, and there from the longest name. The `*` of a name does
 * not begin within a number: `claude-opus-4-1*` is not about `claude-opus-4-10`.
 */
export function factsOf(id: string, ...tables: readonly ModelTable[]): ModelFacts {
  const known = tables.flatMap((table) =>
    Object.entries(table)
      .filter(([name]) => isAbout(name, id))
      .sort(([one], [other]) => prefixOf(one).length - prefixOf(other).length)
      .map(([, facts]) => facts),
  );
  const last = <K extends keyof ModelFacts>(fact: K): ModelFacts[K] =>
    known.findLast((facts) => facts[fact] !== undefined)?.[fact];
  return {
    contextWindow: last("contextWindow"),
    maxTokens: last("maxTokens"),
    price: last("price"),
    temperature: last("temperature"),
    topP: last("topP"),
  };
}

/** A date in the name of a version, such as `-2025-04-14`. */
const DATE = /^-\d{4}-?\d{2}-?\d{2}$/;

function isAbout(name: string, id: string): boolean {
  const prefix = prefixOf(name);
  if (!id.startsWith(prefix)) return false;
  const rest = id.slice(prefix.length);
  return name === prefix ? rest === "" || DATE.test(rest) : !/^\d/.test(rest);
}

/** The name without its `*`. */
export const prefixOf = (name: string): string => name.replace(/\*$/, "");

/** Prices by prefix as a table. */
export const pricesByPrefix = (prices: PriceTable = {}): ModelTable =>
  Object.fromEntries(Object.entries(prices).map(([prefix, price]) => [`${prefix}*`, { price }]));
