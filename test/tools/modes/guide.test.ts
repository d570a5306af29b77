import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readModes } from "../../../settings/index.ts";
import { BUILTIN_MODES, builtinTools, type Mode } from "../../../tools/index.ts";
import { MODE_RULES } from "../../../tools/modes/validate-tool-use.ts";
import type { ToolGroup } from "../../../tools/tool.ts";

const page = readFileSync("docs/guide/modes.md", "utf8");
const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The rows of the table with this head. */
function rowsOf(head: string): readonly string[] {
  const [, rows = ""] = page.split(`${head}\n`)[1]?.split(/^\|(?:-\|)+\n/m) ?? [];
  return rows.split("\n\n")[0]?.trimEnd().split("\n") ?? [];
}

function groupsOf({ permissions }: Mode): string {
  const groups = permissions.map((permission) =>
    permission.group === "edit" && permission.files !== undefined
      ? `edit (${permission.files.description}: \`${permission.files.pattern}\`)`
      : permission.group,
  );
  return groups.length === 0 ? "none" : groups.join(", ");
}

describe("the guide of modes", () => {
  test("has the built-in modes", () => {
    expect(rowsOf("|slug|name|groups|when to use it|")).toEqual(
      BUILTIN_MODES.map((mode) => `|\`${mode.slug}\`|${mode.name}|${groupsOf(mode)}|${mode.whenToUse}|`),
    );
  });

  test.each<ToolGroup>(["read", "edit", "command", "fetch", "always"])(
    "has the built-in tools of the group %s",
    (group) => {
      const names = builtinTools().flatMap((tool) => (tool.group === group ? `\`${tool.name}\`` : []));
      const row = rowsOf("|group|tools|").find((each) => each.startsWith(`|\`${group}\`|`));
      expect(row?.split("|")[2]?.split(";")[0]).toBe(names.sort().join(", "));
    },
  );

  test("has the rules of validateToolUse", () => {
    expect(rowsOf("|rule|checked with|requires|")).toEqual(
      MODE_RULES.map(
        ({ name, at, requires }) => `|${name}|${at === "start" ? "the tool" : "the arguments"}|${requires}|`,
      ),
    );
  });

  test("has an example of .signalbox/modes.yaml that is read", async () => {
    const [, example = ""] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
    mkdirSync(path.join(folder, ".signalbox"));
    writeFileSync(path.join(folder, ".signalbox/modes.yaml"), example);
    expect(await readModes(folder)).toMatchObject([
      { slug: "docs", permissions: [{ group: "read" }, { files: { pattern: "^docs/.*\\.md$" } }] },
    ]);
  });
});
