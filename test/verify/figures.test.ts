import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { summaryIn, withoutTimes } from "./figures.ts";

const fileOf = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
const page = fileOf("docs/generated/verification.txt");

describe("the verification figures in the docs", () => {
  it("end with a summary, and are linked from the verification page", () => {
    expect(page.endsWith(`${summaryIn(page)}\n`)).toBe(true);
    expect(fileOf("docs/internals/verification.md")).toContain("(../generated/verification.txt)");
  });

  it("report that every law holds and every exploration is complete", () => {
    expect(
      page.match(
        /^L\d+ .* (holds|broken|holds as far as it went) +(machine|permissions|hooks|intents|policies|protocol)$/gm,
      )?.length,
    ).toBeGreaterThan(15);
    expect(page).not.toMatch(/broken|as far as it went|cut$/m);
  });

  it("are compared with every count and without times", () => {
    const slower = page.replace(/(\d+)\.\d s, \d+ states a second/, "999.9 s, 7 states a second");
    expect(slower).not.toBe(page);
    expect(withoutTimes(slower)).toBe(withoutTimes(page));
    // The width of a column depends on its longest time.
    const wider = page.replace(/ (\d+\.\d) {2}complete$/gm, "  1$1   complete");
    expect(wider).not.toBe(page);
    expect(withoutTimes(wider)).toBe(withoutTimes(page));
    expect(withoutTimes(page.replace(/^(\d+) states, /m, "1$1 states, "))).not.toBe(withoutTimes(page));
  });
});
