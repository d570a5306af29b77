import type { CallPath, Input } from "../../machines/tool-call/call.ts";
import { suggestedModesOf } from "../builtin/ask-followup-question.ts";
import { subtaskOf } from "../builtin/new-task.ts";
import { modeOf } from "../builtin/switch-mode.ts";
import { spellingsOf } from "../policy/path-glob.ts";
import type { Tool } from "../tool.ts";
import { matchesFile } from "./file-pattern.ts";
import type { FilePattern, Mode, ModePermission } from "./mode.ts";
import type { Modes } from "./modes.ts";

/** The use of a tool in a mode. */
export interface ToolUse {
  readonly modes: Modes;
  /** The slug of the current mode. */
  readonly mode: string;
  readonly tool: Pick<Tool, "name" | "group">;
  /** The call with valid arguments. Absent while they stream: then only the rules `at: "start"` apply. */
  readonly call?: {
    readonly input: Input;
    /** Every path that it names. */
    readonly paths: readonly CallPath[];
    /** Real path of the workspace folder. */
    readonly workspace: string;
  };
}

/** A rule about the use of tools in modes. */
interface ModeRule {
  readonly name: string;
  /** Whether it needs only the tool, or the arguments too. */
  readonly at: "start" | "arguments";
  /** One sentence, for the guide. */
  readonly requires: string;
  /** The error for the model: what was expected, what was received, what to do. */
  readonly violation: (use: ToolUse) => string | undefined;
}

/** Maximum number of modes or slugs that an error lists. */
const NAMED_MODES = 30;

/** In the order in which they apply: the first violation is the error. */
export const MODE_RULES: readonly ModeRule[] = [
  {
    name: "known-mode",
    at: "start",
    requires: "In an unknown mode, the tool is of the group `always`.",
    violation: ({ modes, mode, tool }) =>
      tool.group === "always" || modes.find(mode) !== undefined
        ? undefined
        : `'${cut(mode)}' is not a known mode, so only tools of the group always can be used, not ${tool.name}. Switch to a mode with switch_mode: ${slugs(modes.list)}.`,
  },
  {
    name: "group",
    at: "start",
    requires: "The tool is of the group `always` or `custom`, or of a group that the mode permits.",
    violation: (use) => {
      const { mode, tool } = use;
      if (tool.group === "always" || tool.group === "custom" || permissionIn(use) !== undefined)
        return undefined;
      return `The tool ${tool.name} is of the group ${tool.group}, which mode '${cut(mode)}' does not permit. ${permittedElsewhere(use)}`;
    },
  },
  {
    name: "named-files",
    at: "arguments",
    requires: "In a mode with a file pattern, an edit names its files.",
    violation: (use) => {
      const files = filesIn(use);
      if (files === undefined || use.call === undefined || use.call.paths.length > 0) return undefined;
      return `Mode '${cut(use.mode)}' permits edits only of ${formatFiles(files)}, and this call of ${use.tool.name} names no file. Use a tool that names its files.`;
    },
  },
  {
    name: "file-pattern",
    at: "arguments",
    requires: "In a mode with a file pattern, each file of an edit matches it: its path and its real path.",
    violation: (use) => {
      const files = filesIn(use);
      if (files === undefined || use.call === undefined) return undefined;
      const { paths, workspace } = use.call;
      const other = paths
        .flatMap((path) => spellingsOf(workspace, path))
        .find((each) => !matchesFile(files, each));
      if (other === undefined) return undefined;
      return `Mode '${cut(use.mode)}' permits edits only of ${formatFiles(files)}, received '${cut(other, 300)}'. Edit a file that matches. ${permittedElsewhere(use)}`;
    },
  },
  {
    name: "target-mode",
    at: "arguments",
    requires:
      "Each mode that the arguments of `switch_mode`, `new_task` and `ask_followup_question` name is known.",
    violation: (use) => {
      const unknown = targetsOf(use).find((slug) => use.modes.find(slug) === undefined);
      if (unknown === undefined) return undefined;
      return `The arguments of ${use.tool.name} name the mode '${cut(unknown)}', which does not exist. Send the call again with one of: ${slugs(use.modes.list)}.`;
    },
  },
  {
    name: "other-mode",
    at: "arguments",
    requires: "`switch_mode` names another mode than the current one.",
    violation: ({ mode, tool, call }) =>
      tool.name === "switch_mode" && call !== undefined && modeOf(call.input)?.mode === mode
        ? `The task is already in mode '${cut(mode)}'. Continue without switch_mode.`
        : undefined,
  },
];

/**
 * Validate the use of a tool in a mode. Call it with the tool when a call begins to stream, and with the arguments and the
 * resolved paths before the call is decided.
 *
 * @returns the error for the model; undefined if the use is permitted
 * @example
 * ```ts
 * import { createModes, validateToolUse } from "signalbox/tools";
 * const tool = { name: "execute_command", group: "command" } as const;
 * console.log(validateToolUse({ modes: createModes(), mode: "ask", tool }));
 * ```
 */
export function validateToolUse(use: ToolUse): string | undefined {
  for (const { violation } of MODE_RULES) {
    const error = violation(use);
    if (error !== undefined) return error;
  }
  return undefined;
}

/** The permission of the current mode for the tool's group. */
function permissionIn({ modes, mode, tool }: ToolUse): ModePermission | undefined {
  return permissionOf(modes.find(mode), tool);
}

const permissionOf = (mode: Mode | undefined, tool: ToolUse["tool"]): ModePermission | undefined =>
  mode?.permissions.find(({ group }) => group === tool.group);

/** The pattern of the files that the tool may edit. */
function filesIn(use: ToolUse): FilePattern | undefined {
  return filesOf(permissionIn(use));
}

const filesOf = (permission: ModePermission | undefined): FilePattern | undefined =>
  permission?.group === "edit" ? permission.files : undefined;

/** The advice where the mode does not permit a call: the other modes that permit the tool. */
function permittedElsewhere({ modes, mode, tool }: ToolUse): string {
  const others = modes.list
    .filter((each) => each.slug !== mode && permissionOf(each, tool) !== undefined)
    .map((each) => {
      const files = filesOf(permissionOf(each, tool));
      return files === undefined ? each.slug : `${each.slug} (only ${formatFiles(files)})`;
    });
  return others.length === 0
    ? "No other mode permits it: continue without it."
    : `Continue without it, or switch with switch_mode to a mode that permits it: ${list(others)}.`;
}

/** The modes that the arguments of a call name. */
const TARGETS = new Map<string, (input: Input) => readonly (string | undefined)[]>([
  ["switch_mode", (input) => [modeOf(input)?.mode]],
  ["new_task", (input) => [subtaskOf(input)?.mode]],
  ["ask_followup_question", suggestedModesOf],
]);

function targetsOf({ tool, call }: ToolUse): readonly string[] {
  if (call === undefined) return [];
  return TARGETS.get(tool.name)?.(call.input).filter((slug) => slug !== undefined) ?? [];
}

function formatFiles({ pattern, description }: FilePattern): string {
  const shown = `files that match ${cut(pattern, 200)}`;
  return description === undefined ? shown : `${shown} (${cut(description, 200)})`;
}

const slugs = (modes: readonly Mode[]): string => list(modes.map(({ slug }) => slug));

function list(names: readonly string[]): string {
  const more = names.length - NAMED_MODES;
  const shown = names.slice(0, NAMED_MODES).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

const cut = (text: string, chars = 100): string =>
  text.length > chars ? `${text.slice(0, chars)}...` : text;
