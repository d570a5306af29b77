import { memoize } from "../../machines/conversation/index.ts";
import type {
  PermissionLevel,
  PermissionMode,
  PermissionState,
  SessionRule,
  Verdict,
} from "../../machines/tool-call/index.ts";
import { covers, finds, type Item, type JudgedCall, judgedCall } from "./judged-call.ts";
import { changesNothing, isAllowedIn } from "./permission-modes.ts";
import { type PermissionSource, parseRules, type Rule } from "./permission-rule.ts";
import type { PermissionExplanation, PermissionMatch, Policy, PolicyCall, PolicyFacts } from "./policy.ts";
import { isProtected } from "./protected-files.ts";

/**
 * The rules of a task without a policy: to read inside the workspace, what changes nothing, to follow and stop commands that
 * were permitted, to select an intent, and to use a browser whose launch was permitted.
 */
export const DEFAULT_ALLOW: readonly string[] = [
  "read(**)",
  "tool(skill)",
  "tool(read_artifact)",
  "tool(command_output)",
  "tool(stop_command)",
  "tool(select_active_intent)",
  "browser",
];

export interface PermissionOptions {
  readonly sources: readonly PermissionSource[];
}

/** A policy that can explain its verdicts. */
export interface Permissions extends Policy {
  (call: PolicyCall, facts: PolicyFacts): Verdict;
  readonly explain: (call: PolicyCall, facts: PolicyFacts) => PermissionExplanation;
}

/**
 * Judges calls by rules that are data: `read(GLOB)`, `edit(GLOB)`, `command(WORDS)`, `fetch(DOMAIN)`, `mcp(SERVER/TOOL)`,
 * `tool(NAME)`, `subtask` and `browser`. `deny` precedes `ask`, which precedes `allow`, in whatever order the sources are. Rules of the
 * session come last. A call that no rule is about is judged by the permission mode. A verdict names the rule with the
 * longest literal prefix, and its origin.
 *
 * @throws ToolError `bad_rule`
 * @example
 * ```ts
 * import { permissions } from "signalbox/tools";
 * const policy = permissions({
 *   sources: [{ origin: "settings.yaml", allow: ["read(**)", "command(npm test *)"], deny: ["edit(dist/**)"] }],
 * });
 * ```
 */
export function permissions({ sources }: PermissionOptions): Permissions {
  const fixed = parseRules(sources);
  const withSession = memoize((session: readonly SessionRule[]) =>
    session.length === 0 ? fixed : parseRules([...sources, sessionSource(session)]),
  );
  const explain = (call: PolicyCall, facts: PolicyFacts): PermissionExplanation => {
    const { mode, rules: session } = facts.permissions ?? STANDARD;
    const rules = withSession(session);
    const judged = judgedCall(call, facts);
    const found = rules.flatMap((rule) => foundBy(rule, judged));
    const { verdict, because } = inMode(
      mode,
      decide(mode, judged, found),
      judged,
      mayBeDenied(rules, judged, found),
    );
    const matches = found.map(({ rule: { level, text, origin }, matches }) => ({
      level,
      rule: text,
      origin,
      matches,
    }));
    return { verdict, because, matches };
  };
  return Object.assign((call: PolicyCall, facts: PolicyFacts) => explain(call, facts).verdict, { explain });
}

const STANDARD: Pick<PermissionState, "mode" | "rules"> = { mode: "ask", rules: [] };

/** Rules of a session as a source. */
function sessionSource(rules: readonly SessionRule[]): PermissionSource {
  const of = (level: PermissionLevel) => rules.flatMap((rule) => (rule.level === level ? rule.rule : []));
  return { origin: "this session", allow: of("allow"), ask: of("ask"), deny: of("deny") };
}

interface Found {
  readonly rule: Rule;
  readonly items: readonly Item[];
  readonly matches: PermissionMatch["matches"];
}

interface Grounded {
  readonly verdict: Verdict;
  readonly because: string;
}

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

function decide(mode: PermissionMode, call: JudgedCall, found: readonly Found[]): Grounded {
  const denied = found.find(({ rule, matches }) => rule.level === "deny" && matches === "yes");
  if (denied !== undefined) {
    const what = `${nameOf(denied.items[0], call)} is not permitted`;
    return deny(formatRule(denied.rule), what);
  }
  if (mode === "plan" && !changesNothing(call)) return deny("mode plan", "only reading is permitted now");
  const objection = objectionTo(call, found);
  if (objection !== undefined) return ask(objection);
  const rules = call.items.map((item) => found.find(({ items }) => items.includes(item))?.rule);
  if (!rules.includes(undefined)) {
    const names = [...new Set(rules.flatMap((rule) => (rule === undefined ? [] : formatRule(rule))))];
    return allow(names.join(", "));
  }
  return isAllowedIn(mode, call) ? allow(`mode ${mode}`) : ask(`no rule allows ${unruled(call, rules)}`);
}

/** Why a person is asked about a call, whatever is allowed. */
function objectionTo(call: JudgedCall, found: readonly Found[]): string | undefined {
  const asked = found.find(({ rule }) => rule.level !== "allow");
  if (asked !== undefined) {
    const may = asked.matches === "maybe" ? " may match" : " matches";
    return `${formatRule(asked.rule)}${may} ${nameOf(asked.items[0], call)}`;
  }
  if (call.doubt !== undefined) return call.doubt;
  const changed = call.items.find((item) => item.kind === "mcp" && item.used.changed === true);
  if (changed !== undefined) return `the server changed ${nameOf(changed, call)} since it was approved`;
  if (call.writesFile && !found.some(({ rule }) => isEveryCommand(rule)))
    return "the command line has output to a file";
  if (call.tool.effect !== "writes") return undefined;
  const guarded = call.items.find((item) => item.kind === "path" && isGuarded(item, found));
  return (
    guarded && `${nameOf(guarded, call)} is a protected file, and no rule that allows it names it literally`
  );
}

function isGuarded(item: Extract<Item, { kind: "path" }>, found: readonly Found[]): boolean {
  const globs = found.flatMap(({ rule: { target }, items }) =>
    target.kind === "edit" && items.includes(item) ? target.glob : [],
  );
  return isProtected(item.spellings, globs);
}

/** Whether a rule may deny the call, also one of `.rooignore`: what it does is known only at run time. */
function mayBeDenied(rules: readonly Rule[], call: JudgedCall, found: readonly Found[]): boolean {
  if (call.isIgnored) return true;
  const deniesCommands = rules.some(({ level, target }) => level === "deny" && target.kind === "command");
  const isUnknown = call.tool.effect === "executes" && call.doubt !== undefined;
  return (deniesCommands && isUnknown) || found.some(({ rule }) => rule.level === "deny");
}

/** Questions and the root task's completion go to a person, also in `bypass`, which does not evade a rule that denies. */
function inMode(mode: PermissionMode, decided: Grounded, call: JudgedCall, mayDeny: boolean): Grounded {
  if (decided.verdict.kind === "deny") return decided;
  if (call.tool.effect === "asks" && !call.isSubtaskCompletion)
    return ask("a person answers questions and accepts completions");
  if (mode !== "bypass" || decided.verdict.kind !== "ask") return decided;
  if (call.isUnscoped && !mayDeny) return ask(`${decided.because}, and an intent is selected`);
  const because = `${decided.because}, and mode bypass asks nobody`;
  return mayDeny ? deny("mode bypass", because) : { ...allow("mode bypass"), because };
}

function isEveryCommand({ target }: Rule): boolean {
  return target.kind === "command" && target.pattern.isOpen && target.pattern.words.length === 0;
}

function unruled({ tool, items }: JudgedCall, rules: readonly (Rule | undefined)[]): string {
  return nameOf(items[rules.indexOf(undefined)], { tool });
}

function nameOf(item: Item | undefined, { tool }: Pick<JudgedCall, "tool">): string {
  if (item?.kind === "path") return `${tool.name} on '${item.path.path.slice(0, 200)}'`;
  if (item?.kind === "host") return `${tool.name} from '${item.name.slice(0, 200)}'`;
  if (item?.kind === "mcp")
    return `'${item.used.tool.slice(0, 200)}' of the server '${item.used.server.slice(0, 200)}'`;
  return item?.kind === "command" ? `'${item.raw.slice(0, 200)}'` : tool.name;
}

const formatRule = ({ text, origin }: Rule): string => `${text} in ${origin}`;

const ask = (because: string): Grounded => ({ verdict: { kind: "ask", because }, because });

const allow = (rule: string): Grounded => ({
  verdict: { kind: "allow", rule },
  because: `allowed by ${rule}`,
});

const deny = (rule: string, what: string): Grounded => ({
  verdict: { kind: "deny", rule, reason: `${what}. Continue without it, or ask the user.` },
  because: `denied by ${rule}: ${what}`,
});
