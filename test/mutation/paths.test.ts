import { afterEach, describe, expect, it, vi } from "vitest";
import { ALL_LAWS, violationsOn } from "../../verify/index.ts";
import { PATHS } from "../support/paths.ts";
import { FAULTS, withFault } from "../support/seeded-faults.ts";

/** Quick enough for every mutant of a law, where an exploration isn't; L13 is no law of a way. */
describe("a seeded fault, played on its shortest way", () => {
  afterEach(() => {
    vi.resetModules();
  });

  it.each(FAULTS.filter(({ graphOnly }) => graphOnly !== true))("breaks $law: $name", async (fault) => {
    const machine = await withFault(fault);
    const way = PATHS.get(fault.name) ?? [];
    const laws = ALL_LAWS.filter(({ id }) => id === fault.law);
    expect(violationsOn(way.slice(0, -1), machine, laws, fault.input)).toEqual([]);
    expect(violationsOn(way, machine, laws, fault.input)).not.toEqual([]);
  });
});
