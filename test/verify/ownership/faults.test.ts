import { describe, expect, it } from "vitest";
import { exploreOwnership } from "../../../verify/ownership/exploration.ts";
import { OWNERSHIP_RULES } from "../../../verify/ownership/rules.ts";
import { OWNERSHIP_FAULTS } from "./faults.ts";

describe("the exploration of ownership finds", () => {
  it.each(OWNERSHIP_FAULTS)("$name", ({ law, rules, bounds }) => {
    const { violation } = exploreOwnership({ ...bounds, rules: { ...OWNERSHIP_RULES, ...rules } });
    expect(violation?.law, violation?.what).toBe(law);
    expect(violation?.path).toMatchSnapshot();
  });
});
