import { describe, expect, test } from "vitest";
import { toolNameError } from "../../../tools/builtin/builtin-tools.ts";
import { builtinTools, OPTIONAL_TOOLS } from "../../../tools/index.ts";
import { createRegistry } from "../../../tools/registry.ts";

const names = (options: Parameters<typeof builtinTools>[0] = {}) =>
  builtinTools(options).map(({ name }) => name);

describe("the built-in tools", () => {
  test("have edit_file, apply_patch, browser_action and the tools of wake-ups only if they are included", () => {
    expect(OPTIONAL_TOOLS).toEqual([
      "edit_file",
      "apply_patch",
      "browser_action",
      "schedule_wakeup",
      "cancel_wakeup",
    ]);
    expect(names()).not.toEqual(expect.arrayContaining(["edit_file"]));
    expect(names()).toContain("glob");
    expect(names({ include: ["apply_patch"] })).toContain("apply_patch");
    expect(
      names({ include: ["search_replace", "read_file"] }).filter((name) => name === "edit_file"),
    ).toEqual(["edit_file"]);
  });

  test("do not have those that are excluded, under any of their names, also if they are included", () => {
    const tools = builtinTools({ include: ["edit_file"], exclude: ["write_file", "edit", "glob"] });
    const registry = createRegistry(tools);
    for (const name of ["write_to_file", "write_file", "edit_file", "edit", "search_and_replace", "glob"])
      expect(registry.find(name), name).toBeUndefined();
    expect(registry.find("read_file")?.name).toBe("read_file");
  });

  test("reject a name that no tool has, with the names that exist", () => {
    expect(() => builtinTools({ exclude: ["no_tool"] })).toThrow(
      "There is no tool 'no_tool': expected one of read_file,",
    );
    expect(() => builtinTools({ include: ["__proto__"] })).toThrow("There is no tool");
    expect(toolNameError("edit")).toBeUndefined();
    expect(toolNameError("no_tool")).toContain("apply_patch");
  });
});
