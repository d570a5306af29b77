import assert from "node:assert/strict";
import { test } from "node:test";
import { priceOf } from "../src/basket.js";

test("an empty basket costs nothing", () => {
  assert.equal(priceOf([]), 0);
});

test("nine pieces cost nine times the price", () => {
  assert.equal(priceOf([{ price: 200, pieces: 9 }]), 1800);
});

test("ten pieces are a tenth cheaper", () => {
  assert.equal(priceOf([{ price: 200, pieces: 10 }]), 1800);
});
