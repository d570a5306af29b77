import { afterEach, describe, expect, it, vi } from "vitest";
import { ALL_LAWS, violationsOn } from "../../verify/index.ts";
import { PATHS } from "../support/paths.ts";
import { FAULTS, withFault } from "../support/seeded-faults.ts";

// Fast enough for every mutant of a law, unlike an exploration. L13 is not a law of a path.
describe("a seeded fault, replayed on its shortest path", () => {
  afterEach(() => {
    vi.resetModules();
  });

  it.each(FAULTS.filter(({ graphOnly }) => graphOnly !== true))("breaks $law: $name", async (fault) => {
    const machine = await withFault(fault);
    const path = PATHS.get(fault.name) ?? [];
    const laws = ALL_LAWS.filter(({ id }) => id === fault.law);
    expect(violationsOn(path.slice(0, -1), machine, laws, fault.input)).toEqual([]);
    expect(violationsOn(path, machine, laws, fault.input)).not.toEqual([]);
  });
});
