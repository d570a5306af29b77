import { combine } from "../../machines/judge/opinion.ts";
import { type PermissionSource, parseRules } from "../policy/permission-rule.ts";
import type { JudgeLine, PermissionExplanation, PolicyCall, PolicyFacts } from "../policy/policy.ts";
import { judgedCall } from "./call.ts";
import { JUDGES, type JudgeState } from "./judges.ts";
import { matchesOf, matchRules } from "./rules.ts";

/** The verdict of all judges together, and the opinion of each in their order, also of those that have none. */
export interface JudgedExplanation extends PermissionExplanation {
  readonly judges: readonly JudgeLine[];
}

/** Explain a call judge by judge. */
export function explainJudges(
  call: PolicyCall,
  facts: PolicyFacts,
  { sources, ...known }: Omit<JudgeState, "rules"> & { readonly sources: readonly PermissionSource[] },
): JudgedExplanation {
  const judged = judgedCall(call, facts);
  const rules = matchRules(parseRules(sources), judged);
  const opinions = JUDGES.map((judge) =>
    judge.stage === "task" ? undefined : judge.opinion(judged, { ...known, rules }),
  );
  const judges = JUDGES.map(({ name, stage }, index) => {
    const { level = null, because = stage === "task" ? "judged while a task runs" : null } =
      opinions[index] ?? {};
    return { judge: name, level, because };
  });
  const { verdict, because } = combine(opinions.filter((opinion) => opinion !== undefined));
  return { verdict, because, matches: matchesOf(rules), judges };
}
