import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../examples-in-docs/program.ts";
import { PATHS_FILE } from "./paths.ts";

test("the list of the files that an event passes names files of the source: npm run docs:paths -- --write", () => {
  const files = readFileSync(path.join(root, PATHS_FILE), "utf8").match(/(?<=^ {2})\S+$/gm) ?? [];
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});
