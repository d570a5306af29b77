import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Grant, largerOf, putBack, shareOf, spend } from "../../../machines/tool-call/grant.ts";
import { test } from "../../support/prop.ts";

const grants: fc.Arbitrary<Grant> = fc.record(
  {
    requests: fc.nat(1_000),
    tasks: fc.nat(100),
    depth: fc.nat(5),
    // Sixteenths are exact.
    cost: fc.nat(1_000).map((sixteenths) => sixteenths / 16),
  },
  { requiredKeys: [] },
);
const shares = fc.constantFrom(0.25, 0.5, 1);

describe("a share of a grant", () => {
  test.prop([grants, shares])("and what is left after it make up the whole", (grant, share) => {
    const given = shareOf(grant, share);
    expect(putBack(spend(grant, given), given)).toEqual(grant);
  });

  test.prop([grants, shares])("is within the grant, and one level less deep", (grant, share) => {
    const given = shareOf(grant, share);
    expect(Object.keys(given)).toEqual(Object.keys(grant));
    const { requests = 0, tasks = 0, cost = 0 } = grant;
    expect(given.requests ?? 0).toBe(Math.floor(requests * share));
    expect(given.tasks ?? 0).toBe(Math.floor(tasks * share));
    expect(given.cost ?? 0).toBe(cost * share);
    expect(given.depth).toBe(grant.depth === undefined ? undefined : grant.depth - 1);
  });
});

describe("an unlimited amount", () => {
  it.each<[string, (grant: Grant) => Grant]>([
    ["is not spent", (grant) => spend(grant, { requests: 1, tasks: 1, cost: 1 })],
    ["gets nothing back", (grant) => putBack(grant, { requests: 1, tasks: 1, cost: 1 })],
    ["is unlimited in a share", (grant) => shareOf(grant, 0.5)],
    ["is larger than any", (grant) => largerOf(grant, { requests: 1 })],
  ])("%s", (_, change) => {
    expect(change({})).toEqual({});
  });
});

it("the depth of a tree is neither spent nor put back", () => {
  expect(spend({ depth: 2 }, { depth: 1 })).toEqual({ depth: 2 });
  expect(putBack({ depth: 2 }, { depth: 1 })).toEqual({ depth: 2 });
});

it("a cost beyond what is left is a debt", () => {
  expect(spend({ cost: 1 }, { cost: 1.5 })).toEqual({ cost: -0.5 });
  expect(putBack({ cost: 1 }, { cost: -0.5 })).toEqual({ cost: 0.5 });
});

it("the larger grant has the larger one of each amount", () => {
  const left = { requests: 0, tasks: 3, depth: 2, cost: -1 };
  expect(largerOf(left, { requests: 2, tasks: 1, depth: 1, cost: 1 })).toEqual({
    requests: 2,
    tasks: 3,
    depth: 2,
    cost: 1,
  });
});
