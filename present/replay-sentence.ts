import type { JudgedCallVerdict, ReplayCounts, ReplaySummary } from "../wire/http/permission-replay.ts";
import { plural } from "./plural.ts";

/** The permissions that a replay tries. */
export interface TriedPermissions {
  readonly mode?: string;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/**
 * Format what permissions would change: `With these rules, 14 of 37 asks would not have been asked; 2 calls that were allowed
 * would be asked about. 52 calls were judged again.`
 */
export function replaySentence(
  { calls, asks, permissions, settings, unjudged: reasons }: ReplaySummary,
  tried: TriedPermissions,
): string {
  const named = namesOf(tried);
  const unjudged = reasons.reduce((sum, { count }) => sum + count, 0);
  const today = clausesOf(settings, asks).join("; ");
  const sentences = [
    ...(named === "" ? [] : [`With ${named}, ${clausesOf(permissions, asks).join("; ") || NOTHING}`]),
    ...(named !== "" && today === "" ? [] : [`With the settings of today alone, ${today || NOTHING}`]),
    `${plural(calls, "call was", "calls were")} judged again`,
    ...(unjudged === 0 ? [] : [`${unjudged} could not be`]),
  ];
  return sentences.map((sentence) => `${sentence}.`).join(" ");
}

const NOTHING = "every call would have been decided as it was";

function namesOf({ mode, allow = [], deny = [] }: TriedPermissions): string {
  const rules = allow.length + deny.length;
  return [
    ...(rules === 0 ? [] : [rules === 1 ? "this rule" : "these rules"]),
    ...(mode === undefined ? [] : [`the mode ${mode}`]),
  ].join(" and ");
}

function clausesOf(counts: ReplayCounts, asks: number): readonly string[] {
  const { askToAllow, askToDeny, allowToAsk, allowToDeny, denyToAsk, denyToAllow } = counts;
  const clauses: readonly (readonly [number, (count: number) => string])[] = [
    [askToAllow, (count) => `${count} of ${plural(asks, "ask")} would not have been asked`],
    [allowToAsk, (count) => `${callsThatWere(count)} allowed would be asked about`],
    [askToDeny + allowToDeny, (count) => `${callsThatWere(count)} allowed or asked about would be denied`],
    [denyToAsk + denyToAllow, (count) => `${callsThatWere(count)} denied would no longer be denied`],
  ];
  return clauses.flatMap(([count, clause]) => (count === 0 ? [] : clause(count)));
}

const callsThatWere = (count: number): string => plural(count, "call that was", "calls that were");

const VERDICTS = { allow: "allowed by", ask: "asked about because", deny: "denied by" } as const;

/** Format a verdict: `asked about because no rule allows 'npm test'`, `allowed by command(npm *) in settings.yaml`. */
export const judgedText = ({ verdict, because }: JudgedCallVerdict): string =>
  because === undefined ? "asked about" : `${VERDICTS[verdict]} ${because}`;
