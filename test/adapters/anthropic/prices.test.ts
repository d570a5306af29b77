import { expect, test } from "vitest";
import { priceOf } from "../../../adapters/anthropic/prices.ts";
import { MODELS } from "../../../adapters/index.ts";
import { costOf } from "../../../adapters/models/price.ts";

test.each([
  ["claude-opus-4-20250514", 15],
  ["claude-opus-4-1", 15],
  ["claude-opus-4-1-20250805", 15],
  ["claude-opus-4-5-20251101", 5],
  ["claude-opus-4-10", 5],
  ["claude-sonnet-4-5-20250929", 3],
  ["claude-haiku-4-5", 1],
  ["claude-3-7-sonnet-latest", 3],
  ["claude-3-5-haiku-20241022", 0.8],
])("%s has the price of its longest prefix", (model, input) => {
  expect(priceOf(model)?.input).toBe(input);
});

test.each(["gpt-4", "claude", "claude-opus-41", "", "my-claude-opus-4"])("%j has no price", (model) => {
  expect(priceOf(model)).toBeUndefined();
});

test("a user's prices extend the table and take precedence", () => {
  const mine = { input: 2, output: 4, cacheWrite: 3, cacheRead: 1 };
  expect(priceOf("house-model-2", { "house-model": mine })).toBe(mine);
  expect(priceOf("claude-opus-4-6", { "claude-opus-4": mine })).toBe(mine);
  expect(priceOf("claude-opus-4-6", { "house-model": mine })).toBe(
    MODELS.anthropic["claude-opus-4-6"]?.price,
  );
});

test("a cache write for an hour costs two input tokens, or what a user's price says", () => {
  const mine = { input: 2, output: 4, cacheWrite: 3, cacheRead: 1 };
  const cacheWriteOf = (model: string, extra = {}) => priceOf(model, extra, "1h")?.cacheWrite;
  expect(cacheWriteOf("claude-3-haiku-20240307")).toBe(0.5);
  expect(cacheWriteOf("house-model", { house: mine })).toBe(4);
  expect(cacheWriteOf("house-model", { house: { ...mine, cacheWrite1h: 5 } })).toBe(5);
  expect(cacheWriteOf("gpt-4")).toBeUndefined();
});

test("a cost is the sum of four counts at their prices per million tokens; without a price it is unknown", () => {
  const usage = { tokensIn: 1_000, tokensOut: 2_000, cacheWrites: 3_000, cacheReads: 4_000 };
  expect(costOf(usage, { input: 1, output: 10, cacheWrite: 100, cacheRead: 1_000 })).toBeCloseTo(4.321, 10);
  expect(costOf(usage, undefined)).toBeNull();
});
