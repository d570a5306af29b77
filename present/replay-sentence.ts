import type { ReplayBody, ReplayCounts, ReplaySummary } from "../wire/http/permission-replay.ts";
import { plural } from "./plural.ts";

/**
 * Format what permissions would change: `With these rules, 14 of 37 asks would not have been asked; 2 calls that were allowed
 * would be asked; 1 would be denied.`
 */
export function replaySentence(
  { calls, asks, permissions, settings, apart }: ReplaySummary,
  tried: Pick<ReplayBody, "mode" | "allow" | "deny">,
): string {
  const named = namesOf(tried);
  const unjudged = apart.reduce((sum, { count }) => sum + count, 0);
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

function namesOf({ mode, allow = [], deny = [] }: Pick<ReplayBody, "mode" | "allow" | "deny">): string {
  const rules = allow.length + deny.length;
  return [
    ...(rules === 0 ? [] : [rules === 1 ? "this rule" : "these rules"]),
    ...(mode === undefined ? [] : [`the mode ${mode}`]),
  ].join(" and ");
}

function clausesOf(counts: ReplayCounts, asks: number): readonly string[] {
  const { askToAllow, askToDeny, allowToAsk, allowToDeny, denyToAsk, denyToAllow } = counts;
  const unasked = askToAllow + askToDeny;
  const refused = askToDeny === 0 ? "" : ` (${askToDeny} of them denied)`;
  const lifted = denyToAsk + denyToAllow;
  return [
    ...(unasked === 0 ? [] : [`${unasked} of ${plural(asks, "ask")} would not have been asked${refused}`]),
    ...(allowToAsk === 0 ? [] : [`${allowed(allowToAsk)} would be asked about`]),
    ...(allowToDeny === 0 ? [] : [`${allowed(allowToDeny)} would be denied`]),
    ...(lifted === 0
      ? []
      : [`${plural(lifted, "call that was", "calls that were")} denied would no longer be denied`]),
  ];
}

const allowed = (count: number): string => `${plural(count, "call that was", "calls that were")} allowed`;
