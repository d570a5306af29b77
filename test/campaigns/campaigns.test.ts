import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { digests, passedBefore, record, resultsOf } from "../support/campaign-record.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CACHE = path.join(ROOT, "node_modules/.cache");

let dir: string;
beforeEach(() => {
  mkdirSync(CACHE, { recursive: true });
  dir = mkdtempSync(path.join(CACHE, "campaign-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const write = (name: string, text: string): void => writeFileSync(path.join(dir, name), text);

describe("the digest of a campaign", () => {
  beforeEach(() => {
    write("a.test.ts", 'import { b } from "./b.ts";\nimport("./lazy.ts");\nb;\n');
    write("b.ts", 'export { c as b } from "./c.ts";\n');
    write("c.ts", "export const c = 1;\n");
    write("lazy.ts", "export const lazy = 1;\n");
    write("other.ts", "");
    write("program.ts", "");
    write("read.txt", "");
  });
  const digest = async (): Promise<string | undefined> => {
    const [test, program, read] = ["a.test.ts", "program.ts", "read.txt"].map((name) =>
      path.relative(ROOT, path.join(dir, name)),
    ) as [string, string, string];
    return (await digests({ it: { tests: [test], programs: [program], reads: [read] } })).get("it");
  };

  test.each([
    ["a module that its test imports by another one", "c.ts", "export const c = 2;\n"],
    ["a module that its test imports lazily", "lazy.ts", "export const lazy = 2;\n"],
    ["a program that its test runs", "program.ts", "1;\n"],
    ["a file that its test reads", "read.txt", "text"],
  ])("changes with %s", async (_what, name, text) => {
    const before = await digest();
    write(name, text);
    expect(await digest()).not.toBe(before);
  });

  test("does not change with a module that no test of it imports", async () => {
    const before = await digest();
    write("other.ts", "1;\n");
    expect(await digest()).toBe(before);
  });
});

test("a campaign passed before if it was recorded with the same digest, and it is forgotten once it fails", () => {
  const file = path.join(dir, "campaigns.txt");
  const [old, now] = ["0".repeat(16), "1".repeat(16)];
  expect(passedBefore(new Map([["kills", now]]), file)).toEqual([]);
  record(
    new Map([
      ["kills", old],
      ["prefixes", now],
    ]),
    file,
  );
  expect(
    passedBefore(
      new Map([
        ["kills", now],
        ["prefixes", now],
      ]),
      file,
    ),
  ).toEqual(["prefixes"]);
  record(new Map([["prefixes", undefined]]), file);
  expect(
    passedBefore(
      new Map([
        ["kills", old],
        ["prefixes", now],
      ]),
      file,
    ),
  ).toEqual(["kills"]);
});

describe("the result of a campaign", () => {
  const tests = ["test/crash/kills.test.ts", "test/crash/prefixes.test.ts"];
  const passed = tests.map((file) => ({ file, isPassive: false, hasPassed: true }));
  const now = new Map([["it", "0".repeat(16)]]);
  const result = (ran: typeof passed, more: object = {}) => resultsOf(ran, now, { it: { tests, ...more } });

  test("is its digest if each of its files passed", () => {
    expect(result(passed)).toEqual(now);
  });

  test.each([
    ["a file did not run", passed.slice(1), {}],
    ["a file failed", [...passed.slice(1), { file: tests[0] ?? "", isPassive: false, hasPassed: false }], {}],
    ["a file ran with passivated tasks only", passed.map((file, at) => ({ ...file, isPassive: at > 0 })), {}],
    ["it depends on a registry", passed, { needsRegistry: true }],
  ])("counts for no later run if %s", (_why, ran, more) => {
    expect(result(ran, more)).toEqual(new Map([["it", undefined]]));
  });

  test("is unknown if none of its files ran", () => {
    expect(result([])).toEqual(new Map());
  });
});
