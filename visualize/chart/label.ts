import type { ChartEdge, ChartTransition } from "./chart.ts";

/** The most lines of a label. */
const MAX_LINES = 2;

/**
 * The label of an edge, in lines: the types of its events, grouped by noun (`ask.answered | expired`), and the guards of
 * eventless transitions. Further lines are counted: `+2`. May be empty.
 */
export function labelOf({ rows }: ChartEdge): readonly string[] {
  const lines = [...byNoun(rows.filter(({ event }) => event !== "")), ...guardsOf(rows)];
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES - 1), `+${lines.length - MAX_LINES + 1}`];
}

function byNoun(rows: readonly ChartTransition[]): readonly string[] {
  const verbs = new Map<string, Set<string>>();
  for (const { event } of rows) {
    const dot = event.lastIndexOf(".") + 1;
    const noun = event.slice(0, dot);
    verbs.set(noun, (verbs.get(noun) ?? new Set()).add(event.slice(dot)));
  }
  return [...verbs].map(([noun, all]) => `${noun}${[...all].join(" | ")}`);
}

const guardsOf = (rows: readonly ChartTransition[]): readonly string[] =>
  rows.flatMap(({ event, guard }) => (event === "" && guard !== undefined ? [`[${guard}]`] : []));

/** Format the event and the guard of a transition: `event [guard]`. */
export const formatRow = ({ event, guard }: ChartTransition): string =>
  [event || "always", guard && `[${guard}]`].filter(Boolean).join(" ");

/** Format an edge's transitions, one a line: `event [guard] / actions`. */
export const formatTransitions = ({ rows }: ChartEdge): string => rows.map(formatTransition).join("\n");

/** Format a transition in one line. Its guard may be empty. */
export const formatTransition = (transition: ChartTransition): string =>
  [formatRow(transition), transition.actions.length > 0 && `/ ${transition.actions.join(", ")}`]
    .filter(Boolean)
    .join(" ");
