import { printable } from "../../client/printable/printable.ts";
import {
  chosenPermissions,
  PERMISSION_MODES,
  type PermissionLevel,
  type PermissionMode,
  type SessionRule,
} from "../../machines/tool-call/permissions.ts";
import { ruleError } from "../../tools/policy/permission-rule.ts";
import type { ListedRule } from "../run/settings.ts";
import type { SlashContext } from "./slash-context.ts";

const LEVELS = ["allow", "ask", "deny"] as const satisfies readonly PermissionLevel[];
const SESSION = "this session";

/** `/permissions`: shows what is permitted, or changes it. */
export function permissionCommand(context: SlashContext, argument: string): void {
  const { first, rest } = split(argument);
  const level = LEVELS.find((each) => each === first);
  const mode = PERMISSION_MODES.find((each) => each === first);
  if (first === "") showPermissions(context);
  else if (first === "remove") void removeRule(context, rest);
  else if (level !== undefined && rest !== "") addRule(context, { level, rule: rest });
  else if (mode !== undefined && rest === "") setMode(context, mode);
  else
    context.say(
      printable(
        `Expected a permission mode (${PERMISSION_MODES.join(", ")}), or allow, ask, deny or remove with a rule such as command(npm test *), received '${argument}'.`,
      ),
    );
}

/** The arguments of `/permissions`. */
export const permissionCandidates = (): readonly string[] => [...PERMISSION_MODES, ...LEVELS, "remove"];

/**
 * The permission mode after this one. `bypass` is only named, and so is `plan` while a call waits for its answer, which it
 * would deny.
 */
export function nextMode(mode: PermissionMode, isCallOpen: boolean): PermissionMode {
  const cycle: readonly PermissionMode[] = PERMISSION_MODES.filter(
    (each) => each !== "bypass" && !(isCallOpen && each === "plan"),
  );
  return cycle[(cycle.indexOf(mode) + 1) % cycle.length] ?? "plan";
}

function split(text: string): { readonly first: string; readonly rest: string } {
  const [, first = "", rest = ""] = /^(\S*)\s*(.*)$/s.exec(text.trim()) ?? [];
  return { first, rest };
}

function showPermissions({ root, rules: { list }, say }: SlashContext): void {
  const { permissions } = root.snapshot.context;
  const { mode, rules } = chosenPermissions(permissions);
  say(formatChange(`The permission mode is ${mode}`, permissions.held !== undefined));
  const listed = [...rules.map((rule) => ({ ...rule, origin: SESSION })), ...list];
  for (const { level, rule, origin } of listed) say(printable(`  ${level} ${rule}  (${origin})`));
}

function setMode({ root, say }: SlashContext, mode: PermissionMode): void {
  const result = root.changePermissions({ level: mode });
  say(result.ok ? formatChange(`The permission mode is ${mode}`, result.held) : printable(result.message));
}

/** The text about a change, which may be pending. */
export const formatChange = (text: string, isHeld = false): string =>
  isHeld ? `${text} after your answer to the open question.` : `${text}.`;

function addRule({ root, say }: SlashContext, added: SessionRule): void {
  const problem = ruleError(added.rule);
  if (problem !== undefined) {
    say(printable(`The rule '${added.rule}' is not valid: ${problem}.`));
    return;
  }
  const result = root.changePermissions(({ rules }) => ({
    rules: [...rules.filter((rule) => !isSame(rule, added)), added],
  }));
  say(
    printable(
      result.ok ? formatChange(`${formatRule(added)}, in this session`, result.held) : result.message,
    ),
  );
}

/** Remove a rule of the session and of the project's settings. */
async function removeRule(context: SlashContext, argument: string): Promise<void> {
  const { root, rules, say } = context;
  const { first, rest } = split(argument);
  const level = rest === "" ? undefined : LEVELS.find((each) => each === first);
  const text = level === undefined ? argument.trim() : rest;
  const isMeant = (rule: SessionRule): boolean =>
    rule.rule.trim() === text && (level === undefined || rule.level === level);
  const { rules: chosen } = chosenPermissions(root.snapshot.context.permissions);
  const ofSession = chosen.filter(isMeant);
  const listed = rules.list.filter(isMeant);
  const levels = [...new Set([...ofSession, ...listed].map((rule) => rule.level))];
  if (levels.length !== 1) {
    const problem =
      levels.length === 0
        ? `There is no rule '${text}'. /permissions lists them.`
        : `There are rules '${text}' that ${levels.join(" and that ")}. Name one: /permissions remove ${levels[0]} ${text}`;
    say(printable(problem));
    return;
  }
  const ofProject = listed.find(({ isOfProject }) => isOfProject);
  try {
    if (ofProject !== undefined) await rules.removeFromProject(ofProject);
    // Calls that wait are judged again, also by what the files say now.
    const result = root.changePermissions((newest) => ({
      rules: newest.rules.filter((rule) => !isMeant(rule)),
    }));
    if (!result.ok) say(printable(result.message));
  } catch (error) {
    say(printable(error instanceof Error ? error.message : String(error)));
    return;
  }
  const removed = [
    ...ofSession.map((rule) => ({ ...rule, origin: SESSION })),
    ...(ofProject ? [ofProject] : []),
  ];
  for (const rule of removed) say(printable(`Removed: ${formatRule(rule)}  (${rule.origin})`));
  for (const rule of listed.filter(({ isOfProject }) => !isOfProject)) say(printable(formatFixed(rule)));
}

const formatFixed = (rule: ListedRule): string =>
  `${formatRule(rule)}  (${rule.origin}) stays: it is not of this session or project. To be asked nevertheless: /permissions ask ${rule.rule}`;

const formatRule = ({ level, rule }: SessionRule): string => `${level} ${rule}`;

const isSame = (one: SessionRule, other: SessionRule): boolean =>
  one.level === other.level && one.rule.trim() === other.rule.trim();
