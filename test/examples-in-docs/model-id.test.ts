import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_MODEL, priceOf } from "../../adapters/anthropic/prices.ts";
import { filesIn } from "../support/sources.ts";
import { pages, root } from "./program.ts";

const examples = readdirSync(path.join(root, "examples")).flatMap((name) =>
  /\.(?:ts|mjs|yaml)$/.test(name) ? [`examples/${name}`] : [],
);
const sources = filesIn([
  "runtime",
  "client",
  "server",
  "actors",
  "tools",
  "visualize/trace",
  "testing",
  "cli",
]);

test("the pages, examples, docstrings and the command name one model: the default", () => {
  const others = [...pages, ...examples, ...sources, "adapters/anthropic/model.ts"].flatMap((file) =>
    [...readFileSync(path.join(root, file), "utf8").matchAll(/claude-[a-z]+-\d[\w.-]*\w/g)]
      .filter(([id]) => id !== DEFAULT_MODEL)
      .map(([id]) => `${file}: ${id}`),
  );
  expect(others).toEqual([]);
  expect(readFileSync(path.join(root, "cli/settings/run-flags.ts"), "utf8")).toContain(`"${DEFAULT_MODEL}"`);
});

test("the price of the default model is known", () => {
  expect(priceOf(DEFAULT_MODEL)).toBeDefined();
});
