import { describe, expect, test } from "vitest";
import { factsOf } from "../../../adapters/models/facts.ts";
import { costOf } from "../../../adapters/models/price.ts";
import { MODELS } from "../../../adapters/models/table.ts";

const price = (input: number) => ({ input, output: 1, cacheWrite: 1, cacheRead: 1 });

describe("the facts of a model", () => {
  test("belong to its id, which its dated versions share, and no other variant", () => {
    const windowOf = (id: string) => factsOf(id, MODELS.openai).contextWindow;
    expect(["gpt-5", "gpt-5-2025-08-07", "gpt-4.1-2025-04-14"].map(windowOf)).toEqual([
      400_000, 400_000, 1_047_576,
    ]);
    for (const id of ["gpt-5-ultra", "gpt-5.9", "gpt-50", "gpt", "o3-ultra", "my-gpt-5"])
      expect(factsOf(id, MODELS.openai).price, id).toBeUndefined();
  });

  test("come each from the last table that has it, and there from the longest name", () => {
    const known = { "a-*": { contextWindow: 1, price: price(1) }, "a-b*": { price: price(2) } };
    const mine = { "a-*": { contextWindow: 2 }, "a-b*": { maxTokens: 3 } };
    expect(factsOf("a-b-1", known, mine)).toEqual({ contextWindow: 2, maxTokens: 3, price: price(2) });
    expect(factsOf("a-b-1", known, { "*": { price: price(3) } }).price).toEqual(price(3));
    expect(factsOf("a-c", known, mine)).toEqual({ contextWindow: 2, maxTokens: undefined, price: price(1) });
  });

  test("include the prices of long requests", () => {
    const { price: pro } = factsOf("gemini-2.5-pro", MODELS.google);
    const usage = { tokensIn: 100_000, tokensOut: 1_000, cacheWrites: 0, cacheReads: 100_000 };
    expect(costOf(usage, pro)).toBeCloseTo(0.125 + 0.0125 + 0.01, 10);
    expect(costOf({ ...usage, cacheReads: 100_001 }, pro)).toBeCloseTo(0.25 + 0.025 + 0.015, 5);
  });

  test("are plausible: a cache read costs at most as much as an input token, which costs less than an output token", () => {
    for (const [name, facts] of Object.values(MODELS).flatMap((table) => Object.entries(table))) {
      const { price: of } = factsOf(name, { [name]: facts });
      if (of === undefined) continue;
      expect([of.cacheRead <= of.input, of.input < of.output], name).toEqual([true, true]);
    }
  });
});
