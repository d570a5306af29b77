import { expect, it } from "vitest";
import { memoize } from "../../../machines/conversation/memoize.ts";

it("computes once for each object, also where the result is undefined", () => {
  const computed: object[] = [];
  const size = memoize((list: readonly string[]) => {
    computed.push(list);
    return list.length === 0 ? undefined : list.length;
  });
  const [empty, two] = [[], ["a", "b"]];
  expect([size(empty), size(two), size(empty), size(two), size(["a", "b"])]).toEqual([
    undefined,
    2,
    undefined,
    2,
    2,
  ]);
  expect(computed).toEqual([empty, two, ["a", "b"]]);
});
