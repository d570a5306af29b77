import { expect, test } from "vitest";
import { packPassive, unpackPassive } from "../../../store/recovery/packed-passive.ts";

test.each([
  ["empty", ""],
  ["like most", '{"status":"active","context":{"turn":{"blocks":[],"cursor":0,"calls":[]}}}'],
  ["in any script", '{"context":{"result":"漢字 é 🎉 \\u0000"}}'],
  ["long", JSON.stringify({ result: Array.from({ length: 20_000 }, (_, index) => index).join(" ") })],
])("PASSIVE: a passive task that is %s is the same after it was packed", (_, passive) => {
  expect(unpackPassive(packPassive(passive))).toBe(passive);
});

test("PASSIVE: a packed task takes one byte a character, and refers to what most tasks contain", () => {
  const passive = '{"usage":{"tokensIn":0,"tokensOut":0,"cacheWrites":0,"cacheReads":0,"cost":0}}';
  const packed = packPassive(passive);
  expect(packed.length).toBeLessThan(20);
  expect(Buffer.byteLength(packed, "latin1")).toBe(packed.length);
});
