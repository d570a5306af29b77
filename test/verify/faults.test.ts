import { afterEach, describe, expect, it, vi } from "vitest";
import { ALL_LAWS, explore, type PathEvent } from "../../verify/index.ts";
import { explorationOf, FAULTS, withFault } from "../support/seeded-faults.ts";

/** Each by its law alone: an exploration ends at the first thing that any law finds. */
describe("a seeded fault, with no other law to help", () => {
  const ways: (readonly [name: string, path: readonly PathEvent[]])[] = [];

  afterEach(() => {
    vi.resetModules();
  });

  it.each(FAULTS)("is caught by $law: $name", async (fault) => {
    const machine = await withFault(fault);
    const laws = ALL_LAWS.filter(({ id }) => id === fault.law && fault.graphOnly !== true);
    const { violations } = explore({ machine, laws, ...explorationOf(fault) });
    expect(violations.map(({ law }) => law)).toContain(fault.law);
    ways.push([fault.name, violations[0]?.path ?? []]);
  });

  // Mutants of a law are judged by these ways, played again.
  it("has a shortest way to it, which is written down", async () => {
    const lines = ways.map((way) => JSON.stringify(way));
    await expect(`[\n${lines.join(",\n")}\n]\n`).toMatchFileSnapshot("../fixtures/paths-to-faults.json");
  });
});
