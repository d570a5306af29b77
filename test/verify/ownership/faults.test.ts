import { describe, expect, it } from "vitest";
import { exploreOwnership, type OwnershipOptions } from "../../../verify/ownership/exploration.ts";
import { OWNERSHIP_RULES } from "../../../verify/ownership/rules.ts";
import { OWNERSHIP_FAULTS, type OwnershipFault } from "./faults.ts";

const found = ({ rules, bounds }: OwnershipFault, change: OwnershipOptions = {}) =>
  exploreOwnership({ ...bounds, ...change, rules: { ...OWNERSHIP_RULES, ...rules } }).violation;

describe("the exploration of ownership finds", () => {
  it.each(OWNERSHIP_FAULTS)("$name", (fault) => {
    const violation = found(fault);
    expect(violation?.law, violation?.what).toBe(fault.law);
    expect(violation?.path).toMatchSnapshot();
  });

  it.each(OWNERSHIP_FAULTS)("in worlds of every order of workers as well: $name", (fault) => {
    expect(found(fault, { isReduced: false })?.law).toBe(fault.law);
  });

  it.each(OWNERSHIP_FAULTS)("among three workers: $name", (fault) => {
    expect(found(fault, { workers: 3, losses: 3 })?.law).toBe(fault.law);
  });
});
