import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseScript } from "../../../testing/mock/script/script-parser.ts";

const page = readFileSync(new URL("../../../docs/reference/mock.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text = ""]) => ({
  language,
  text,
}));
const examples = blocks.filter(({ language }) => language === "yaml" || language === "json");

describe("the page about the mock server", () => {
  test("has examples", () => expect(examples.length).toBeGreaterThanOrEqual(8));

  test.each(examples.map(({ text }, n) => [n + 1, text] as const))("example %i parses", (_, text) => {
    expect(() => parseScript(text, "docs/reference/mock.md")).not.toThrow();
  });

  test("shows the actual errors", () => {
    const shown = blocks.find(({ language }) => language === "text")?.text.trim();
    const wrong = "turns:\n  - text: a\n  - status: 429\n    retry: 1\n  - text: b\n    delayMs: fast\n";
    expect(() => parseScript(wrong, "demo.yaml")).toThrow(shown);
  });
});
