import { combine, type Grounded } from "../../machines/judge/opinion.ts";
import type { Verdict } from "../../machines/tool-call/call.ts";
import type { Restriction } from "../../machines/tool-call/restriction.ts";
import { parseRules, type Rule } from "../policy/permission-rule.ts";
import type { PermissionExplanation, Policy, PolicyCall, PolicyFacts } from "../policy/policy.ts";
import { judgedCall } from "./call.ts";
import { permissionModeOpinion } from "./permission-mode.ts";
import { matchesOf, matchRules, mayBeDenied, rulesOpinion } from "./rules.ts";

/** The origin of the rules, as a verdict names it. */
const ORIGIN = "the call that started this subtask";

/**
 * A policy with the rules of these restrictions applied after its verdict: the stricter one of both holds, so no rule can
 * permit what the policy does not (law GRANT).
 *
 * @throws ToolError `RULE_INVALID`
 */
export function restrictedPolicy(policy: Policy, restrictions: readonly Restriction[]): Policy {
  const given = restrictions.flatMap(({ rules = [] }) => rules);
  if (given.length === 0) return policy;
  const textsOf = (level: "ask" | "deny") => given.flatMap((each) => (each.level === level ? each.rule : []));
  const rules = parseRules([{ origin: ORIGIN, ask: textsOf("ask"), deny: textsOf("deny") }]);
  const judge: Policy = async (call, facts) =>
    stricterOf(await policy(call, facts), restrictionOn(rules, call, facts)?.verdict);
  const { explain } = policy;
  if (explain === undefined) return judge;
  return Object.assign(judge, {
    explain: (call: PolicyCall, facts: PolicyFacts) =>
      restrictedExplanation(explain(call, facts), restrictionOn(rules, call, facts)),
  });
}

interface RuleRestriction extends Grounded, Pick<PermissionExplanation, "matches"> {}

/** The verdict of the rules on a call that they are about. A rule that asks yields to mode `bypass`, as any other. */
function restrictionOn(
  rules: readonly Rule[],
  call: PolicyCall,
  facts: PolicyFacts,
): RuleRestriction | undefined {
  const judged = judgedCall(call, facts);
  const matched = matchRules(rules, judged);
  if (matched.found.length === 0 && !mayBeDenied(judged, matched)) return undefined;
  const mode = permissionModeOpinion(facts.permissions?.mode ?? "ask", judged, matched);
  const opinions = [rulesOpinion(judged, matched), ...(mode === undefined ? [] : [mode])];
  return { ...combine(opinions), matches: matchesOf(matched) };
}

function restrictedExplanation(
  explained: PermissionExplanation,
  restriction: RuleRestriction | undefined,
): PermissionExplanation {
  if (restriction === undefined) return explained;
  const matches = [...restriction.matches, ...explained.matches];
  if (stricterOf(explained.verdict, restriction.verdict) === explained.verdict)
    return { ...explained, matches };
  const { verdict, because } = restriction;
  return { ...explained, verdict, because, matches };
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const satisfies Record<Verdict["kind"], number>;

/** The stricter verdict; the first one of two that are as strict. */
const stricterOf = (one: Verdict, other: Verdict = one): Verdict =>
  STRICTNESS[other.kind] > STRICTNESS[one.kind] ? other : one;
