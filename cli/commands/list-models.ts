import { PRICES } from "../../adapters/index.ts";
import type { ListFlags } from "./list.ts";

/**
 * `list models`: the models whose price is known, by the beginning of their names, with US dollars per million tokens;
 * tab-separated, or `{ models }`.
 */
export function listModels({ format }: ListFlags): string {
  const models = Object.entries(PRICES).map(([id, { input, output, cacheWrite, cacheRead }]) => ({
    id,
    inputPrice: input,
    outputPrice: output,
    cacheWritesPrice: cacheWrite,
    cacheReadsPrice: cacheRead,
  }));
  if (format === "text")
    return models
      .map(({ id, inputPrice, outputPrice }) => `${id}\t$${inputPrice}\t$${outputPrice}\n`)
      .join("");
  const byId = Object.fromEntries(models.map(({ id, ...prices }) => [id, prices]));
  return `${JSON.stringify({ models: byId }, undefined, 2)}\n`;
}
