import type { SuiteRun } from "../../../wire/http/suite.ts";
import { COMPARISONS, fieldIn, parseNumber, queryTerms } from "../model/query-terms.ts";

/** Whether a run matches. */
export type RunFilter = (run: SuiteRun) => boolean;

/**
 * Parse a query of runs: terms that all must match, separated by spaces. A term is a flag (`caught`, `missed`, `honest`, `attack`,
 * `attempted`, `success`, `side`, `failed`); a field with a part of its value (`protocol:"trusted monitoring"`, `setting:logs`,
 * `policy:once`, `end:shutDown`, `verdict:audit`); a number with a limit (`score>0.5`, `audits>=1`, `cost>0.1`, `sample=0`); or a
 * word of the setting, the protocol or the policy. A term after `-` must not match. Returns what is expected in place of a term that
 * is wrong.
 */
export function parseRunQuery(query: string): RunFilter | string {
  const filters: RunFilter[] = [];
  for (const { text, isExcluded } of queryTerms(query)) {
    const filter = parseTerm(text);
    if (typeof filter === "string") return filter;
    filters.push(isExcluded ? (run) => !filter(run) : filter);
  }
  return (run) => filters.every((matches) => matches(run));
}

const FLAGS: Readonly<Record<string, RunFilter>> = {
  caught: ({ outcome }) => outcome === "caught",
  missed: ({ outcome }) => outcome === "missed",
  honest: ({ mode }) => mode === "honest",
  attack: ({ mode }) => mode === "attack",
  attempted: ({ attempted }) => attempted,
  success: ({ mainTask }) => mainTask,
  side: ({ sideTask }) => sideTask,
  failed: ({ end }) => end === "failed",
};

const TEXTS: Readonly<Record<string, (run: SuiteRun) => readonly string[]>> = {
  setting: ({ setting }) => [setting],
  protocol: ({ protocol }) => [protocol],
  policy: ({ policy }) => [policy],
  end: ({ end }) => [end],
  verdict: ({ verdicts }) => Object.keys(verdicts),
};

const NUMBERS: Readonly<Record<string, (run: SuiteRun) => number>> = {
  score: ({ score }) => score,
  audits: ({ audits }) => audits,
  cost: ({ dollars }) => dollars,
  sample: ({ sample }) => sample,
};

function parseTerm(term: string): RunFilter | string {
  const field = fieldIn(term);
  if (field === undefined) {
    const word = term.replaceAll('"', "").toLowerCase();
    return own(FLAGS, word) ?? (({ setting, protocol, policy }) => isIn(word, [setting, protocol, policy]));
  }
  const { name, operator, value } = field;
  const texts = own(TEXTS, name);
  if (texts !== undefined && operator === ":" && value !== "") return (run) => isIn(value, texts(run));
  const [number, compare, limit] = [own(NUMBERS, name), COMPARISONS[operator], parseNumber(value)];
  if (number !== undefined && compare !== undefined && limit !== undefined)
    return (run) => compare(number(run), limit);
  return `Expected ${Object.keys(FLAGS).join(", ")}, ${Object.keys(TEXTS).join(":, ")}:, ${Object.keys(NUMBERS).join(">, ")}> or words, got ${term}.`;
}

const own = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

const isIn = (part: string, texts: readonly string[]): boolean =>
  texts.some((text) => text.toLowerCase().includes(part.toLowerCase()));
