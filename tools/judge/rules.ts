import type { Opinion } from "../../machines/judge/opinion.ts";
import type { Rule } from "../policy/permission-rule.ts";
import type { PermissionMatch } from "../policy/policy.ts";
import { isProtected } from "../policy/protected-files.ts";
import { covers, finds, type Item, isTooWide, type JudgedCall } from "./call.ts";
import { allow, ask, deny } from "./grounds.ts";

/** A rule that is about a call. */
export interface Found {
  readonly rule: Rule;
  readonly items: readonly Item[];
  readonly matches: PermissionMatch["matches"];
}

/** The rules of a policy, and the matches of the call among them. */
export interface MatchedRules {
  readonly all: readonly Rule[];
  readonly found: readonly Found[];
}

/** Match a call with the rules. */
export const matchRules = (all: readonly Rule[], call: JudgedCall): MatchedRules => ({
  all,
  found: all.flatMap((rule) => foundBy(rule, call)),
});

/** The matches as an explanation lists them. */
export const matchesOf = ({ found }: MatchedRules): readonly PermissionMatch[] =>
  found.map(({ rule: { level, text, origin }, matches }) => ({ level, rule: text, origin, matches }));

function foundBy(rule: Rule, call: JudgedCall): readonly Found[] {
  if (rule.level === "allow") {
    const items = call.items.filter((item) => covers(rule, call, item));
    const matches = items.length === call.items.length ? "yes" : "part";
    return items.length === 0 ? [] : [{ rule, items, matches }];
  }
  for (const matches of ["yes", "maybe"] as const) {
    const items = call.items.filter((item) => finds(rule, call, item) === matches);
    if (items.length > 0) return [{ rule, items, matches }];
  }
  return [];
}

/** The opinion of the rules: a rule that denies, one that asks, rules that allow all of the call, or that none allows it. */
export function rulesOpinion(call: JudgedCall, { all, found }: MatchedRules): Opinion {
  const denied = found.find(({ rule, matches }) => rule.level === "deny" && matches === "yes");
  if (denied !== undefined) {
    const what = `${nameOf(denied.items[0], call)} is not permitted`;
    return { level: "denial", ...deny(formatRule(denied.rule), what) };
  }
  const objection = objectionTo(call, found) ?? doubtAbout(call, { all, found });
  if (objection !== undefined) return { level: "objection", ...ask(objection) };
  const rules = call.items.map((item) => found.find(({ items }) => items.includes(item))?.rule);
  if (rules.includes(undefined))
    return { level: "default", ...ask(`no rule allows ${unruled(call, rules, all)}`) };
  const names = [...new Set(rules.flatMap((rule) => (rule === undefined ? [] : formatRule(rule))))];
  return { level: "permission", ...allow(names.join(", ")) };
}

/** The reason to ask a person about a call, whatever is allowed: a rule that is about it. */
function objectionTo(call: JudgedCall, found: readonly Found[]): string | undefined {
  const asked = found.find(({ rule }) => rule.level !== "allow");
  if (asked === undefined) return undefined;
  const may = asked.matches === "maybe" ? " may match" : " matches";
  return `${formatRule(asked.rule)}${may} ${nameOf(asked.items[0], call)}`;
}

/** The reason to ask about a call for what it is, whatever rules allow. */
function doubtAbout(call: JudgedCall, { all, found }: MatchedRules): string | undefined {
  if (call.doubt !== undefined && !isHarmless(call, all)) return call.doubt;
  const changed = call.items.find((item) => item.kind === "mcp" && item.used.changed === true);
  if (changed !== undefined) return `the server changed ${nameOf(changed, call)} since it was approved`;
  if (call.writesFile && !call.isContained && !found.some(({ rule }) => isEveryCommand(rule)))
    return "the command line has output to a file";
  if (call.tool.effect !== "writes") return undefined;
  const guarded = call.items.find((item) => item.kind === "path" && isGuarded(item, found));
  return (
    guarded && `${nameOf(guarded, call)} is a protected file, and no rule that allows it names it literally`
  );
}

/** Whether a command line may do anything: it runs in a sandbox, and no rule is about commands that it might run. */
const isHarmless = ({ isContained, isUnknownLine }: JudgedCall, all: readonly Rule[]): boolean =>
  isContained &&
  isUnknownLine &&
  !all.some(({ level, target }) => level !== "allow" && target.kind === "command");

function isGuarded(item: Extract<Item, { kind: "path" }>, found: readonly Found[]): boolean {
  const globs = found.flatMap(({ rule: { target }, items }) =>
    target.kind === "edit" && items.includes(item) ? target.glob : [],
  );
  return isProtected(item.spellings, globs);
}

/** Whether a rule may deny the call, also one of `.rooignore`: what it does is known only at run time. */
export function mayBeDenied(call: JudgedCall, { all: rules, found }: MatchedRules): boolean {
  if (call.isIgnored) return true;
  const deniesCommands = rules.some(({ level, target }) => level === "deny" && target.kind === "command");
  const isUnknown = call.tool.effect === "executes" && call.doubt !== undefined;
  return (deniesCommands && isUnknown) || found.some(({ rule }) => rule.level === "deny");
}

function isEveryCommand({ target }: Rule): boolean {
  return target.kind === "command" && target.pattern.isOpen && target.pattern.words.length === 0;
}

function unruled(
  { tool, items }: JudgedCall,
  rules: readonly (Rule | undefined)[],
  all: readonly Rule[],
): string {
  const item = items[rules.indexOf(undefined)];
  const wide = item && all.find((rule) => isTooWide(rule, item));
  const name = nameOf(item, { tool });
  return wide === undefined ? name : `${name}: ${formatRule(wide)} does not name the program that runs`;
}

function nameOf(item: Item | undefined, { tool }: Pick<JudgedCall, "tool">): string {
  if (item?.kind === "path") return `${tool.name} on '${item.path.path.slice(0, 200)}'`;
  if (item?.kind === "host") return `${tool.name} from '${item.name.slice(0, 200)}'`;
  if (item?.kind === "mcp")
    return `'${item.used.tool.slice(0, 200)}' of the server '${item.used.server.slice(0, 200)}'`;
  return item?.kind === "command" ? `'${item.raw.slice(0, 200)}'` : tool.name;
}

const formatRule = ({ text, origin }: Rule): string => `${text} in ${origin}`;
