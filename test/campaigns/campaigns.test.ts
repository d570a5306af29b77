import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
    mkdirSync(path.join(dir, "tests"));
    mkdirSync(path.join(dir, "about"));
    for (const name of ["tests/a.test.ts", "tests/b.test.ts", "tests/shared.ts", "about/code.ts"])
      write(name, "");
  });
  const digest = (): string | undefined => {
    const place = path.relative(ROOT, dir);
    const campaign = { tests: [`${place}/tests/a.test.ts`], about: [`${place}/about`] };
    return digests({ it: campaign }).get("it");
  };

  test.each([
    ["its test", "tests/a.test.ts"],
    ["a module beside its test", "tests/shared.ts"],
    ["a file that it tries", "about/code.ts"],
    ["a further file that it tries", "about/more.ts"],
  ])("changes with %s", (_what, name) => {
    const before = digest();
    write(name, "1;\n");
    expect(digest()).not.toBe(before);
  });

  test("does not change with a test beside its own", () => {
    const before = digest();
    write("tests/b.test.ts", "1;\n");
    expect(digest()).toBe(before);
  });
});

test("a campaign passed before if it was recorded with the same digest, and it is forgotten once it fails", () => {
  const file = path.join(dir, "campaigns.txt");
  const [old, now] = ["0".repeat(16), "1".repeat(16)];
  const known = { kills: {}, prefixes: {} };
  expect(passedBefore(new Map([["kills", now]]), file)).toEqual([]);
  record(
    new Map([
      ["kills", old],
      ["prefixes", now],
    ]),
    file,
    known,
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
  record(new Map([["prefixes", undefined]]), file, known);
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

test("a campaign that no longer exists is dropped from the record", () => {
  const file = path.join(dir, "campaigns.txt");
  record(new Map([["kills", "0".repeat(16)]]), file, { kills: {} });
  record(new Map([["prefixes", "1".repeat(16)]]), file, { prefixes: {} });
  expect(readFileSync(file, "utf8")).toMatch(/\n\n1{16} prefixes\n$/);
});

describe("the result of a campaign", () => {
  const tests = ["test/crash/kills.test.ts", "test/crash/prefixes.test.ts"];
  const passed = tests.map((file) => ({ file, isPassive: false, hasPassed: true }));
  const now = new Map([["it", "0".repeat(16)]]);
  const result = (ran: typeof passed, more: object = {}) =>
    resultsOf(ran, now, { it: { tests, about: [], ...more } });

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
