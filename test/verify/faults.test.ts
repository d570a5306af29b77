import { afterEach, describe, expect, it, vi } from "vitest";
import { ALL_LAWS, explore, type PathEvent } from "../../verify/index.ts";
import { explorationOf, FAULTS, withFault } from "../support/seeded-faults.ts";

// Each with its law alone: an exploration ends at the first violation of any law.
describe("a seeded fault, checked by one law", () => {
  const paths: (readonly [name: string, path: readonly PathEvent[]])[] = [];

  afterEach(() => {
    vi.resetModules();
  });

  it.each(FAULTS)("is caught by $law: $name", async (fault) => {
    const machine = await withFault(fault);
    const laws = ALL_LAWS.filter(({ id }) => id === fault.law && fault.graphOnly !== true);
    const { violations } = explore({ machine, laws, ...explorationOf(fault) });
    expect(violations.map(({ law }) => law)).toContain(fault.law);
    paths.push([fault.name, violations[0]?.path ?? []]);
  });

  // The mutation tests of the laws replay these paths.
  it("has the committed shortest path", async () => {
    const lines = paths.map((path) => JSON.stringify(path));
    await expect(`[\n${lines.join(",\n")}\n]\n`).toMatchFileSnapshot("../fixtures/paths-to-faults.json");
  });
});
