import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../examples-in-docs/program.ts";
import { FEATURES } from "./features.ts";
import { exists } from "./named-tests.ts";

const features = Object.values(FEATURES).flat();

describe("the page about the features of Roo Code", () => {
  test.each(features)(
    "names a place that exists and a test that has its title: $feature",
    ({ places, tests }) => {
      expect(places.length).toBeGreaterThan(0);
      expect(tests.length).toBeGreaterThan(0);
      for (const place of places) expect(existsSync(path.join(root, place)), place).toBe(true);
      for (const named of tests) expect(exists(named), named).toBe(true);
    },
  );

  test("has features", () => expect(features.length).toBeGreaterThan(25));
});
