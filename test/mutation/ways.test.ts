import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ALL_LAWS, brokenOn, type Happening } from "../../verify/index.ts";
import { FAULTS, faulty } from "../support/seeded-faults.ts";

const WAYS = new Map<string, readonly Happening[]>(
  JSON.parse(readFileSync(new URL("../fixtures/ways-to-faults.json", import.meta.url), "utf8")),
);

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
