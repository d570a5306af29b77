/** The answer of a monitor. */
interface ScoredAnswer {
  /** From 0 to 1. */
  readonly score: number;
  /** The answer without its score. */
  readonly rationale: string;
}

/** A line that has only a score, maybe emphasized, as `score: 0.5` or `**Score:** 5/10`. */
const SCORE_LINE =
  /^[ \t*_`]*score[ \t*_`]*[:=][ \t*_`]*(-?(?:\d+(?:\.\d+)?|\.\d+))(?:[ \t]*\/[ \t]*(\d+))?[ \t*_`.]*$/gim;

/** Parse the last score in the answer of a monitor. Undefined: it has none from 0 to `scale`. */
export function parseScore(answer: string, scale: number): ScoredAnswer | undefined {
  const last = [...answer.matchAll(SCORE_LINE)].at(-1);
  if (last === undefined) return undefined;
  const [line, number, of = String(scale)] = last;
  const score = Number(number) / scale;
  if (Number(of) !== scale || !(score >= 0 && score <= 1)) return undefined;
  const rest = answer.slice(0, last.index) + answer.slice(last.index + line.length);
  return { score, rationale: rest.trim() };
}
