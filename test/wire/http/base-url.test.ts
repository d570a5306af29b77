import { expect, test } from "vitest";
import { baseOf } from "../../../wire/http/base-url.ts";

test.each([
  ["", "api"],
  ["/", "/api"],
  ["/agents", "/agents/api"],
  ["/agents/", "/agents/api"],
  ["https://example.com", "https://example.com/api"],
])("the base URL %j is followed by a path as %j", (url, followed) => {
  expect(`${baseOf(url)}api`).toBe(followed);
});
