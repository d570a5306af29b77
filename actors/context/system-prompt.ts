import { release, type as systemName } from "node:os";
import { memoize } from "../../machines/conversation/memoize.ts";
import type { Completion } from "../../machines/task/task.events.ts";
import type { SkillList } from "../../ports/skills.ts";
import type { RuleFile } from "../../ports/workspace.ts";
import type { Mode } from "../../tools/modes/mode.ts";
import type { Tool, ToolGroup } from "../../tools/tool.ts";
import type { SystemPrompt } from "../../wire/journal/record.ts";

export interface PromptOptions {
  /** Replaces the role of the mode, or all parts. Default: none. */
  readonly base?: SystemPrompt | undefined;
  /** The mode, whose role and instructions are parts. Default: a software engineer. */
  readonly mode?: Mode | undefined;
  /** The modes that a call can name. Default: none. */
  readonly modes?: readonly Mode[];
  readonly tools: readonly Pick<Tool, "name" | "group" | "requires">[];
  /** The condition that completes the task. Default `end_turn`. */
  readonly completion?: Completion | undefined;
  /** Its folder. Undefined: the task has no workspace, and the prompt names no system, no shell and no folder. */
  readonly workspace: string | undefined;
  /** The user's own rules, for all workspaces. Default: none. */
  readonly userRules?: readonly RuleFile[];
  readonly rules: readonly RuleFile[];
  /** Default: none. Skills are listed if `tools` has one that reads them. */
  readonly skills?: SkillList;
  /** Default: the current system. */
  readonly os?: string;
  /** The shell that runs commands. Default: `/bin/sh`. */
  readonly shell?: string;
}

const ROLE =
  "You are a software engineer who works in a person's workspace. You look before you change, you make the smallest change that does what was asked, you check that it works, and you say plainly what you did and what you could not do.";

/** The role of a task without a workspace. The roles of the built-in modes work in one. */
const ROLE_WITHOUT_WORKSPACE =
  "You are an assistant. You do what was asked, and you say plainly what you did and what you could not do.";

const roleOf = ({ mode, workspace }: PromptOptions): string =>
  workspace === undefined ? ROLE_WITHOUT_WORKSPACE : mode?.role.trim() || ROLE;

const GROUPS: readonly (readonly [group: ToolGroup, use: string])[] = [
  ["read", "Look at the workspace"],
  ["edit", "Change files"],
  ["command", "Run commands"],
  ["fetch", "Read the web"],
  ["mcp", "Use connected servers"],
  ["custom", "Do what this project added"],
  ["always", "Talk and plan"],
];

/**
 * The parts of the system prompt: role, tool use, environment, rules of the user, rules of the workspace, skills, modes. The
 * most stable come first, for the endpoint's cache.
 *
 * @example
 * ```ts
 * import { openWorkspace } from "signalbox";
 * import { systemPrompt } from "signalbox/actors";
 * const workspace = await openWorkspace("/home/me/project");
 * const parts = systemPrompt({ tools, workspace: workspace.root, rules: await workspace.projectRules() });
 * ```
 */
export function systemPrompt(options: PromptOptions): readonly string[] {
  const { base = "" } = options;
  if (typeof base === "object") return [base.only];
  const parts = [
    base.trim() || roleOf(options),
    TOOL_USE[options.completion ?? "end_turn"](options.tools),
    options.workspace === undefined ? "" : environment(options.workspace, options),
    userRulesPart(options.userRules ?? []),
    rulesPart(options.rules),
    skillsPart(options),
    modesPart(options),
  ];
  return parts.filter((part) => part !== "");
}

/** One text for all tasks with the same list of tools. */
const TOOL_USE = {
  end_turn: memoize((tools: PromptOptions["tools"]) => toolUse(tools, "end_turn")),
  tool: memoize((tools: PromptOptions["tools"]) => toolUse(tools, "tool")),
} as const satisfies Record<Completion, unknown>;

/** How work goes on, and how it ends. */
const COMPLETION = {
  end_turn: [
    "Work goes on through tools: call at least one in each response until the task is done, several where they don't depend on each other.",
    "A response without a tool call ends the task, and its text is the result: give it when the task is done and you have seen that it is, or when there is nothing to do but to answer.",
  ],
  tool: [
    "Work goes on through tools: call at least one in each response, several where they don't depend on each other.",
    "When the task is done, and you have seen that it is, say so with attempt_completion. Don't end it with a question.",
  ],
} as const satisfies Record<Completion, unknown>;

function toolUse(tools: PromptOptions["tools"], completion: Completion): string {
  const [work, end] = COMPLETION[completion];
  if (tools.length === 0) return "";
  const lines = GROUPS.map(([group, use]) => {
    const names = tools.filter((tool) => tool.group === group).map(({ name }) => name);
    return names.length === 0 ? "" : `- ${use}: ${names.join(", ")}`;
  }).filter((line) => line !== "");
  const advice = [
    work,
    "The user may have to approve a call, and may reject it or answer with a message: treat that message as part of the task.",
    "A call's result comes with the next message. Never assume one that you haven't seen. A result marked uncertain means that the call may or may not have taken effect: look before you repeat it.",
    has(tools, "ask_followup_question")
      ? "Ask only what you can't find out yourself, with ask_followup_question."
      : "",
    completion === "end_turn" || has(tools, "attempt_completion") ? end : "",
  ].filter((line) => line !== "");
  return ["# Tools", ...lines, "", ...advice].join("\n");
}

function has(tools: PromptOptions["tools"], name: string): boolean {
  return tools.some((tool) => tool.name === name);
}

function environment(workspace: string, { os, shell }: PromptOptions): string {
  return [
    "# Workspace",
    `- Folder: ${workspace} (relative paths start here, and files outside of it are out of reach)`,
    `- System: ${os ?? `${systemName()} ${release()}`}`,
    `- Shell: ${shell ?? "/bin/sh"}`,
    "- Each message of the user ends with environment_details. The runtime adds them: they tell what has changed since the last ones (files, todo list, background commands), and ask for nothing. Read a changed file again before you rely on its content.",
  ].join("\n");
}

function userRulesPart(rules: readonly RuleFile[]): string {
  if (rules.length === 0) return "";
  const intro =
    "The user maintains these for all workspaces. Follow them, but rules of this workspace take precedence.";
  return ["# Rules of the user", intro, ...rules.map(formatRule)].join("\n\n");
}

function rulesPart(rules: readonly RuleFile[]): string {
  if (rules.length === 0) return "";
  const isNested = rules.some(({ folder }) => folder !== undefined);
  return [
    "# Rules of this workspace",
    "The user maintains these files. Follow them.",
    ...(isNested ? [NEAREST_WINS] : []),
    ...rules.map(formatRule),
  ].join("\n\n");
}

const NEAREST_WINS =
  "A file of a subfolder applies to the files in that subfolder only. Where two files differ, the one nearest to the file that you change wins.";

function formatRule({ path, folder, text, cut }: RuleFile): string {
  const scope = folder === undefined ? "" : ` (for the files in ${folder}/)`;
  return `## ${path}${scope}\n${text}${cut ? `\n(${path} is longer: the rest is not shown here)` : ""}`;
}

/** Names a mode and its instructions, and the other modes where a tool can select them. */
function modesPart({ mode, modes = [], tools }: PromptOptions): string {
  const others = modes.filter(({ slug }) => slug !== mode?.slug);
  const selects = has(tools, "switch_mode") || has(tools, "new_task");
  const sections = [
    ...(mode?.instructions === undefined
      ? []
      : [`Instructions of mode ${mode.slug}:\n${mode.instructions.trim()}`]),
    ...(selects && others.length > 0 ? [`Other modes:\n${others.map(formatMode).join("\n")}`] : []),
  ];
  return sections.length === 0 ? "" : ["# Modes", ...sections].join("\n\n");
}

const formatMode = ({ slug, name, whenToUse }: Mode): string => `- ${slug}: ${whenToUse ?? name}`;

function skillsPart({ skills: list, tools }: PromptOptions): string {
  if (list === undefined) return "";
  const { skills, invalid, cut } = list;
  const reader = tools.find(({ requires }) => requires === "skills");
  const sections = [
    ...(reader === undefined || skills.length === 0
      ? []
      : [
          `A skill has the user's instructions for one kind of work. When work fits a description, read that skill with ${reader.name} before you begin.`,
          skills.map(({ name, description }) => `- ${name}: ${description}`).join("\n"),
          ...(cut ? ["(There are more skills than are listed here.)"] : []),
        ]),
    ...(invalid.length === 0
      ? []
      : [
          `These can't be used as skills. If the user asks for one of them, say why:\n${invalid
            .map(({ path, reason }) => `- ${path}: ${reason}`)
            .join("\n")}`,
        ]),
  ];
  return sections.length === 0 ? "" : ["# Skills", ...sections].join("\n\n");
}
