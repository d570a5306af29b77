import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { FEATURES } from "../../verify/features/features.ts";

it("every feature has a file of its name, and every file is a feature", () => {
  const files = readdirSync(new URL("../../verify/features", import.meta.url));
  const others = ["feature.ts", "features.ts"];
  const expected = FEATURES.map(({ name }) => `${name.replaceAll(" ", "-")}.ts`);
  expect(files.sort()).toEqual([...expected, ...others].sort());
});

it("no two features have a part of the abstract state with the same name", () => {
  const names = FEATURES.flatMap(({ parts = {} }) => Object.keys(parts));
  expect(new Set(names).size).toBe(names.length);
});
