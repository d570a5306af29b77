import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PersistentList } from "../../../machines/list/list.ts";
import { test } from "../../support/prop.ts";

type Step =
  | { readonly do: "append"; readonly count: number }
  | { readonly do: "set"; readonly where: number }
  | { readonly do: "truncate"; readonly where: number };

/** Lengths at which the trie grows a level or fills a node, and adjacent ones. */
const edges = [0, 1, 31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 1055, 1056, 1057, 2048, 2080, 32768, 32800];
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("append" as const), count: fc.constantFrom(1, 1, 2, 31, 32, 33, 200, 1100) }),
  fc.record({ do: fc.constant("set" as const), where: fc.nat(3000) }),
  fc.record({
    do: fc.constant("truncate" as const),
    where: fc.oneof(fc.constantFrom(...edges), fc.nat(3000)),
  }),
);

function run(list: PersistentList<number>, array: readonly number[], next: Step, stamp: number) {
  switch (next.do) {
    case "append": {
      const added = Array.from({ length: next.count }, (_, index) => stamp * 10_000 + index);
      return { list: added.reduce((to, item) => to.append(item), list), array: [...array, ...added] };
    }
    case "set": {
      if (array.length === 0) return { list, array };
      const index = next.where % array.length;
      return { list: list.set(index, -stamp), array: array.with(index, -stamp) };
    }
    case "truncate":
      return { list: list.truncate(next.where), array: array.slice(0, next.where) };
  }
}

function expectSame(list: PersistentList<number>, array: readonly number[]) {
  expect(list.length).toBe(array.length);
  expect([...list]).toEqual(array);
  expect(list.toArray()).toEqual(array);
  for (const index of [0, 31, 32, 1023, 1024, array.length - 1, -1, -33, array.length, -array.length - 1]) {
    expect(list.at(index)).toBe(array.at(index));
  }
}

describe("PersistentList", () => {
  test.prop([fc.nat(3_000), fc.nat(3_000), fc.boolean()], { numRuns: 60 })(
    "has leaves that can be replaced: what stays the same is shared",
    (length, at, isSame) => {
      const list = PersistentList.from(Array.from({ length }, (_, index) => index));
      const starts: number[] = [];
      const mapped = list.mapLeaves((leaf, start) => {
        starts.push(start);
        const slot = at - start;
        return isSame || slot < 0 || slot >= leaf.length ? leaf : leaf.with(slot, -1);
      });
      const leaves = [...list.leaves()];
      expect(starts).toEqual(leaves.map((_, index) => index * 32));
      expect(mapped === list).toBe(isSame || at >= length);
      expectSame(mapped, isSame || at >= length ? list.toArray() : list.toArray().with(at, -1));
      const changed = [...mapped.leaves()].filter((leaf, index) => leaf !== leaves[index]);
      expect(changed).toHaveLength(mapped === list ? 0 : 1);
      expectSame(mapped.append(7), [...mapped.toArray(), 7]);
    },
  );

  test.prop([fc.array(step, { maxLength: 14 })], { numRuns: 150 })(
    "equals an array after any appends, sets and truncations, and no version changes",
    (steps) => {
      let version = { list: PersistentList.empty<number>(), array: [] as readonly number[] };
      const versions = [version];
      steps.forEach((next, index) => {
        version = run(version.list, version.array, next, index + 1);
        versions.push(version);
      });
      for (const { list, array } of versions) expectSame(list, array);
    },
  );

  it.each([1_024, 1_056, 1_057, 32_768, 32_800, 32_801, 70_000])(
    "equals an array at the length %i, where the trie grows a level",
    (length) => {
      const array = Array.from({ length }, (_, index) => index);
      const list = PersistentList.from(array);
      expectSame(list, array);
      expectSame(list.append(-1), [...array, -1]);
      expectSame(list.set(0, -1).set(length - 1, -2), array.with(0, -1).with(length - 1, -2));
      for (const kept of edges) expectSame(list.truncate(kept).append(-1), [...array.slice(0, kept), -1]);
      expectSame(list, array);
    },
  );

  it.each([1_024, 1_056, 2_000, 32_800])(
    "has independent versions from one version of length %i",
    (length) => {
      const array = Array.from({ length }, (_, index) => index);
      const base = PersistentList.from(array);
      const added = Array.from({ length: 1_100 }, (_, index) => index);
      const one = added.reduce((list, item) => list.append(item), base);
      const cut = base.truncate(length - 500);
      const other = added.reduce((list, item) => list.append(-item), base);
      const shorter = added.reduce((list, item) => list.append(item + 0.5), cut);
      expectSame(one, [...array, ...added]);
      expectSame(other, [...array, ...added.map((item) => -item)]);
      expectSame(shorter, [...array.slice(0, -500), ...added.map((item) => item + 0.5)]);
      expectSame(base, array);
    },
  );

  it("is the same list if nothing is truncated", () => {
    const list = PersistentList.from([1, 2, 3]);
    expect([list.truncate(3) === list, list.truncate(4) === list, list.truncate(2) === list]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("grows to its previous length after a truncation", () => {
    const array = Array.from({ length: 33_000 }, (_, index) => index);
    let list = PersistentList.from(array).truncate(40);
    for (const item of array.slice(40)) list = list.append(item);
    expectSame(list, array);
  });

  it("shares structure: an append to 100,000 items copies no items", () => {
    const items = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    const list = PersistentList.from(items);
    const longer = list.append({ index: -1 });
    expect(longer.at(50_000)).toBe(list.at(50_000));
    expect(longer.truncate(100_000).toArray()).toEqual(list.toArray());
  });

  it("rejects a set outside the list", () => {
    const list = PersistentList.of("a", "b");
    for (const index of [-1, 2, 0.5, Number.NaN]) {
      expect(() => list.set(index, "c")).toThrow(/expected a whole number from 0 to 1/);
    }
  });

  it("returns a part: from a start, or from the end", () => {
    const list = PersistentList.from([1, 2, 3]);
    expect([list.toArray(1), list.toArray(-2), list.toArray(-9), list.toArray(3)]).toEqual([
      [2, 3],
      [2, 3],
      [1, 2, 3],
      [],
    ]);
  });

  it("is serialized as a JSON array", () => {
    expect(JSON.stringify({ log: PersistentList.of(1, 2) })).toBe('{"log":[1,2]}');
  });
});
