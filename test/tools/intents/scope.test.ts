import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { Intent } from "../../../tools/index.ts";
import { activeIds, activeIntent } from "../../../tools/intents/intent.ts";
import { pathOutside } from "../../../tools/intents/scope.ts";

const ROOT = "/work";

/** A path as a call gives it, with the real path, relative to the workspace. */
const at = (path: string, real = path, inside = true) => ({ path, real: `${ROOT}/${real}`, inside });

const outside = (ownedScope: readonly string[], ...paths: readonly ReturnType<typeof at>[]) =>
  pathOutside({ ownedScope }, ROOT, paths);

describe("an intent owns", () => {
  it.each([
    ["a folder and all below it", "src/**", "src/a/b.ts"],
    ["a file", "src/a.ts", "src/a.ts"],
    ["a file by another spelling", "src/a.ts", "./src/../src/a.ts"],
    ["files by a pattern", "src/*.ts", "src/a.ts"],
    ["everything", "**", "a/b"],
  ])("%s", (_, glob, path) => {
    expect(outside([glob], at(path, path.replace("./src/../", "")))).toBeUndefined();
  });
});

describe("an intent does not own", () => {
  it.each([
    ["a file beside its folder", ["src/**"], at("srcs/a.ts")],
    ["a path that leaves its folder", ["src/**"], at("src/../lib/a.ts", "lib/a.ts")],
    ["a link to a file of another folder", ["src/**"], at("src/link.ts", "lib/a.ts")],
    ["a link from another folder", ["src/**"], at("link.ts", "src/a.ts")],
    ["the same name in another case", ["src/**"], at("SRC/a.ts", "src/a.ts")],
    ["a file outside of the workspace", ["**"], at("../x", "../x", false)],
    ["anything, without a glob", [], at("a.ts")],
    [
      "the file of intents, whatever its globs are",
      ["**", ".orchestration/**"],
      at(".orchestration/active_intents.yaml"),
    ],
    ["the file of intents in another case", ["**"], at(".Orchestration/active_intents.yaml")],
    ["a link to the file of intents", ["**"], at("notes.yaml", ".orchestration/active_intents.yaml")],
  ])("%s", (_, globs, path) => {
    expect(outside(globs, path)).toBe(path.path);
  });

  test("a call if one of its paths is not owned, such as the target of a rename", () => {
    expect(outside(["src/**"], at("src/a.ts"), at("lib/a.ts"))).toBe("lib/a.ts");
  });

  test("a path if it owns only one of its spellings", () => {
    const name = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(name, name, (own, other) => {
        fc.pre(own !== other);
        expect(outside([`${own}/**`], at(`${own}/f`, `${other}/f`))).toBe(`${own}/f`);
        expect(outside([`${own}/**`], at(`${other}/f`, `${own}/f`))).toBe(`${other}/f`);
        expect(outside([`${own}/**`], at(`${own}/f`))).toBeUndefined();
      }),
    );
  });
});

const intent = (id: string, status: Intent["status"]): Intent => ({
  id,
  name: id,
  status,
  ownedScope: [],
  constraints: [],
  acceptanceCriteria: [],
});

describe("an intent can be selected", () => {
  const all = [
    intent("A", "IN_PROGRESS"),
    intent("B", "DONE"),
    intent("C", "TODO"),
    intent("D", "CANCELLED"),
  ];

  it("unless it is unknown or has ended: then the active ids are listed", () => {
    expect(activeIntent(all, "A")).toMatchObject({ id: "A" });
    expect(activeIntent(all, "B")).toBe("the intent 'B' is DONE. The active intents are: A, C.");
    expect(activeIntent(all, "D")).toBe("the intent 'D' is CANCELLED. The active intents are: A, C.");
    expect(activeIntent(all, "a")).toBe("the intent 'a' is unknown. The active intents are: A, C.");
  });

  it("only if there is one", () => {
    expect(activeIds([intent("B", "DONE")])).toBe(
      "No intent of .orchestration/active_intents.yaml is active: ask the user to add one.",
    );
  });
});
