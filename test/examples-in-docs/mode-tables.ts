import { builtinTools, OPTIONAL_TOOLS } from "../../tools/builtin/builtin-tools.ts";
import { BUILTIN_MODES } from "../../tools/modes/builtin-modes.ts";
import type { Mode } from "../../tools/modes/mode.ts";
import { MODE_RULES } from "../../tools/modes/validate-tool-use.ts";
import type { ToolGroup } from "../../tools/tool.ts";
import { formatTable } from "./format-table.ts";

// The tables of the guide of modes.

export const modeTable = (): string =>
  formatTable(
    ["slug", "name", "groups", "when to use it"],
    BUILTIN_MODES.map((mode) => [`\`${mode.slug}\``, mode.name, groupsOf(mode), mode.whenToUse ?? ""]),
  );

function groupsOf({ permissions }: Mode): string {
  const groups = permissions.map((permission) =>
    permission.group === "edit" && permission.files !== undefined
      ? `edit (${permission.files.description}: \`${permission.files.pattern}\`)`
      : permission.group,
  );
  return groups.length === 0 ? "none" : groups.join(", ");
}

/** The groups, with a remark about the modes that have one. */
const GROUPS: Readonly<Record<ToolGroup, string>> = {
  read: "",
  edit: "",
  command: "",
  fetch: "",
  mcp: "tools of MCP servers",
  always: "in every mode",
  custom: "tools of `defineTool` without a group; in every known mode",
};

/** The built-in tools of each group. */
export function groupTable(): string {
  const all = builtinTools({ include: [...OPTIONAL_TOOLS] });
  const standard = new Set(builtinTools().map(({ name }) => name));
  return formatTable(
    ["group", "tools"],
    Object.entries(GROUPS).map(([group, remark]) => {
      const names = all
        .filter((tool) => tool.group === group)
        .map(({ name }) => name)
        .sort();
      const given = names.filter((name) => standard.has(name));
      const optional = names.filter((name) => !standard.has(name));
      const parts = [codes(given), optional.length === 0 ? "" : `if included, ${codes(optional)}`, remark];
      return [`\`${group}\``, parts.filter((part) => part !== "").join("; ")];
    }),
  );
}

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

export const ruleTable = (): string =>
  formatTable(
    ["rule", "checked with", "requires"],
    MODE_RULES.map(({ name, at, requires }) => [
      name,
      at === "start" ? "the tool" : "the arguments",
      requires,
    ]),
  );
