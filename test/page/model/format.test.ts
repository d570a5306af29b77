import { expect, it } from "vitest";
import { dollars } from "../../../visualize/page/model/format.ts";

it.each([
  [null, "cost unknown"],
  [0, "$0.00"],
  [0.0042, "$0.0042"],
  [1.2, "$1.20"],
])("formats a cost in US dollars; null is unknown, not 0: %s", (cost, text) => {
  expect(dollars(cost)).toBe(text);
});
