import type ts from "typescript";
import { ENVIRONMENT_LIMIT_TABLE } from "../../actors/context/environment-limits.ts";
import { MENTION_LIMIT_TABLE } from "../../actors/context/mention-limits.ts";
import type { Limit, LimitTable } from "../../machines/task/limit-table.ts";
import { DEFAULT_LIMITS, TASK_LIMIT_TABLE } from "../../machines/task/limits.ts";
import { EDITOR_LIMIT_TABLE } from "../../ports/editor-limits.ts";
import { BREAKPOINT_LIMIT_TABLE } from "../../runtime/breakpoints/breakpoints.ts";
import { USER_INPUT_LIMIT_TABLE } from "../../runtime/task/user-input.ts";
import { docsIn } from "./docstrings.ts";

interface OptionGroup {
  readonly title: string;
  /** The declaring file, and the interface or the table of limits in it. */
  readonly file: string;
  readonly name: string;
  readonly limits?: LimitTable;
}

const GROUPS: readonly OptionGroup[] = [
  { title: "`createHost(options)`", file: "runtime/options.ts", name: "HostOptions" },
  { title: "`host.create(options)`", file: "runtime/options.ts", name: "TaskOptions" },
  { title: "`models`", file: "runtime/options.ts", name: "TaskModels" },
  { title: "`permissions`", file: "runtime/options.ts", name: "PermissionOptions" },
  { title: "`debugging`", file: "runtime/options.ts", name: "DebuggingOptions" },
  { title: "`limits`", file: "machines/task/limits.ts", name: "TASK_LIMIT_TABLE", limits: TASK_LIMIT_TABLE },
  {
    title: "`inputLimits`",
    file: "runtime/task/user-input.ts",
    name: "USER_INPUT_LIMIT_TABLE",
    limits: USER_INPUT_LIMIT_TABLE,
  },
  {
    title: "`mentionLimits`",
    file: "actors/context/mention-limits.ts",
    name: "MENTION_LIMIT_TABLE",
    limits: MENTION_LIMIT_TABLE,
  },
  {
    title: "`environmentLimits`",
    file: "actors/context/environment-limits.ts",
    name: "ENVIRONMENT_LIMIT_TABLE",
    limits: ENVIRONMENT_LIMIT_TABLE,
  },
  {
    title: "`workspace.limits` of an editor",
    file: "ports/editor-limits.ts",
    name: "EDITOR_LIMIT_TABLE",
    limits: EDITOR_LIMIT_TABLE,
  },
  { title: "`llm`", file: "actors/llm/limits.ts", name: "LlmLimits" },
  {
    title: "`breakpoints`",
    file: "runtime/breakpoints/breakpoints.ts",
    name: "BREAKPOINT_LIMIT_TABLE",
    limits: BREAKPOINT_LIMIT_TABLE,
  },
];

/** The sections of `docs/reference/options.md`: a table of each group of options, from their docstrings. */
export const optionTables = (program: ts.Program): string =>
  GROUPS.map((group) => `## ${group.title}\n\n${tableOf(program, group)}`).join("\n\n");

function tableOf(program: ts.Program, { file, name, limits }: OptionGroup): string {
  const docs = docsIn(program, file, name);
  const head = limits === undefined ? ["|option|meaning|", "|-|-|"] : ["|limit|meaning|default|", "|-|-|-|"];
  const lines = docs.map(([option, doc]) => {
    const limit = limits?.[option];
    return `|\`${option}\`|${doc}|${limit === undefined ? "" : `${formatDefault(limit)}|`}`;
  });
  return [...head, ...lines].join("\n");
}

function formatDefault({ default: value, unit }: Limit): string {
  if (value === DEFAULT_LIMITS.cost) return "none";
  const number = value.toLocaleString("en");
  return unit === "ms" || unit === "bytes" ? `${number} ${unit}` : number;
}
