import { memoize } from "../../machines/conversation/memoize.ts";
import { combine } from "../../machines/judge/opinion.ts";
import type { Verdict } from "../../machines/tool-call/call.ts";
import type { PermissionLevel, PermissionState, SessionRule } from "../../machines/tool-call/permissions.ts";
import { type PermissionSource, parseRules } from "../policy/permission-rule.ts";
import type { PermissionExplanation, Policy, PolicyCall, PolicyFacts } from "../policy/policy.ts";
import { judgedCall } from "./call.ts";
import { judgeLine, opinionsByJudge } from "./judges.ts";
import { matchesOf, matchRules } from "./rules.ts";

/**
 * The rules of a task without a policy: to read inside the workspace, what changes nothing, to follow and stop commands and
 * subtasks that were permitted, to select an intent, and to use a browser whose launch was permitted.
 */
export const DEFAULT_ALLOW: readonly string[] = [
  "read(**)",
  "tool(skill)",
  "tool(read_artifact)",
  "tool(command_output)",
  "tool(stop_command)",
  "tool(wait_for_subtasks)",
  "tool(message_subtask)",
  "tool(subtask_state)",
  "tool(cancel_subtask)",
  "tool(select_active_intent)",
  "browser",
];

/** Options of {@link byRules}. */
export interface RuleOptions {
  readonly sources: readonly PermissionSource[];
}

/** A policy that can explain its verdicts. */
export interface RulePolicy extends Policy {
  (call: PolicyCall, facts: PolicyFacts): Verdict;
  readonly explain: (call: PolicyCall, facts: PolicyFacts) => PermissionExplanation;
}

/**
 * Judges calls by rules that are data: `read(GLOB)`, `edit(GLOB)`, `command(WORDS)`, `fetch(DOMAIN)`, `mcp(SERVER/TOOL)`,
 * `tool(NAME)`, `subtask` and `browser`. `deny` precedes `ask`, which precedes `allow`, in whatever order the sources are. Rules of the
 * session come last. A call that no rule is about is judged by the permission mode. A verdict names the rule with the
 * longest literal prefix, and its origin.
 *
 * @throws ToolError `RULE_INVALID`
 * @example
 * ```ts
 * import { byRules } from "signalbox/tools";
 * const policy = byRules({
 *   sources: [{ origin: "settings.yaml", allow: ["read(**)", "command(npm test *)"], deny: ["edit(dist/**)"] }],
 * });
 * ```
 */
export function byRules({ sources }: RuleOptions): RulePolicy {
  const fixed = parseRules(sources);
  const withSession = memoize((session: readonly SessionRule[]) =>
    session.length === 0 ? fixed : parseRules([...sources, sessionSource(session)]),
  );
  const explain = (call: PolicyCall, facts: PolicyFacts): PermissionExplanation => {
    const { mode, rules: session } = facts.permissions ?? STANDARD;
    const judged = judgedCall(call, facts);
    const rules = matchRules(withSession(session), judged);
    const opinions = opinionsByJudge("policy", judged, { rules, permissionMode: mode });
    const { verdict, because } = combine(opinions.flatMap(({ opinion }) => opinion ?? []));
    return { verdict, because, matches: matchesOf(rules), judges: opinions.map(judgeLine) };
  };
  return Object.assign((call: PolicyCall, facts: PolicyFacts) => explain(call, facts).verdict, { explain });
}

const STANDARD: Pick<PermissionState, "mode" | "rules"> = { mode: "ask", rules: [] };

/** Rules of a session as a source. */
function sessionSource(rules: readonly SessionRule[]): PermissionSource {
  const of = (level: PermissionLevel) => rules.flatMap((rule) => (rule.level === level ? rule.rule : []));
  return { origin: "this session", allow: of("allow"), ask: of("ask"), deny: of("deny") };
}
