import { afterEach, describe, expect, it, vi } from "vitest";
import { ALL_LAWS, brokenOn } from "../../verify/index.ts";
import { FAULTS, faulty } from "../support/seeded-faults.ts";
import { WAYS } from "../support/ways.ts";

/** Quick enough for every mutant of a law, where an exploration isn't; L13 is no law of a way. */
describe("a seeded fault, played on its shortest way", () => {
  afterEach(() => {
    vi.resetModules();
  });

  it.each(FAULTS.filter(({ graphOnly }) => graphOnly !== true))("breaks $law: $name", async (fault) => {
    const machine = await faulty(fault);
    const way = WAYS.get(fault.name) ?? [];
    const laws = ALL_LAWS.filter(({ id }) => id === fault.law);
    expect(brokenOn(way.slice(0, -1), machine, laws, fault.input)).toEqual([]);
    expect(brokenOn(way, machine, laws, fault.input)).not.toEqual([]);
  });
});
