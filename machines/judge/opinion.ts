import type { CallAsk, Verdict } from "../tool-call/call.ts";

/**
 * The levels of opinions, the strongest first. `yields`: whether mode `bypass` decides in place of the person.
 * docs/guide/policies.md prints this table.
 */
export const OPINION_LEVELS = [
  { level: "denial", verdict: "deny", yields: false },
  { level: "question", verdict: "ask", yields: false },
  { level: "objection", verdict: "ask", yields: true },
  { level: "condition", verdict: "ask", yields: false },
  { level: "permission", verdict: "allow", yields: false },
  { level: "default", verdict: "ask", yields: true },
] as const;

/** A verdict with a clause that says why. */
export interface Grounded {
  readonly verdict: Verdict;
  readonly because: string;
}

/** The opinion of a judge about a call. */
export type Opinion = StandingOpinion | Substitute;

type StandingOpinion = Grounded & { readonly level: (typeof OPINION_LEVELS)[number]["level"] };

/** The decision in place of a person who would be asked. `instead` gets the clause that says why. */
export interface Substitute {
  readonly level: "substitute";
  readonly because: string;
  readonly instead: (because: string) => Grounded;
}

/**
 * The verdict by all opinions: deny before ask before allow, whatever their order is. Of several opinions of one level,
 * the first is named. Without an opinion a person is asked.
 */
export function combine(opinions: readonly Opinion[]): Grounded {
  const standing = opinions.filter((each): each is StandingOpinion => each.level !== "substitute");
  const strongest = strongestOf(standing) ?? UNDECIDED;
  const substitute = opinions.find((each): each is Substitute => each.level === "substitute");
  if (substitute === undefined || !YIELDING.has(strongest.level)) return strongest;
  const { verdict, because } = substitute.instead(strongest.because);
  const instead = { level: LEVEL_OF[verdict.kind], verdict, because };
  return strongestOf([instead, ...standing.filter(({ level }) => !YIELDING.has(level))]) ?? instead;
}

const YIELDING: ReadonlySet<Opinion["level"]> = new Set(
  OPINION_LEVELS.flatMap(({ level, yields }) => (yields ? [level] : [])),
);

function strongestOf(opinions: readonly StandingOpinion[]): StandingOpinion | undefined {
  const [level] = OPINION_LEVELS.filter((each) => opinions.some((opinion) => opinion.level === each.level));
  return opinions.find((opinion) => opinion.level === level?.level);
}

const UNDECIDED: StandingOpinion = {
  level: "default",
  verdict: { kind: "ask" },
  because: "no judge has an opinion",
};

const LEVEL_OF = { deny: "denial", ask: "objection", allow: "permission" } as const;

/** A verdict as an opinion. Mode `bypass` lifts one that asks. */
export const opinionOf = (verdict: Verdict): StandingOpinion => ({
  level: LEVEL_OF[verdict.kind],
  verdict,
  because: formatVerdict(verdict),
});

/** Mode `plan` denies everything but reading (law PLAN). */
export const PLAN = opinionOf({
  kind: "deny",
  rule: "mode plan",
  reason: "only reading is permitted now. Plan, and ask the user.",
});

function formatVerdict(verdict: Verdict): string {
  if (verdict.kind === "deny") return `denied by ${verdict.rule}: ${verdict.reason}`;
  return verdict.kind === "allow" ? `allowed by ${verdict.rule}` : (verdict.because ?? "a person is asked");
}

/** Whether the ask of a call is a question to a person, or the acceptance of a completion. */
export const isQuestion = (ask: CallAsk): boolean => ask === "followup" || ask === "completion_result";
