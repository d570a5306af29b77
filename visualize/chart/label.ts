import type { ChartEdge, ChartRow } from "./chart.ts";

/** Lines that a label has at most. */
const MAX_LINES = 2;

/**
 * What stands beside an edge, a line an entry: the types of its events, those of one noun together (`ask.answered |
 * expired`), and the guards where no event is needed. What there is no room for is counted: `+2`. Empty: it needs no words.
 */
export function labelOf({ rows }: ChartEdge): readonly string[] {
  const lines = [...byNoun(rows.filter(({ event }) => event !== "")), ...guardsOf(rows)];
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES - 1), `+${lines.length - MAX_LINES + 1}`];
}

function byNoun(rows: readonly ChartRow[]): readonly string[] {
  const verbs = new Map<string, Set<string>>();
  for (const { event } of rows) {
    const dot = event.lastIndexOf(".") + 1;
    const noun = event.slice(0, dot);
    verbs.set(noun, (verbs.get(noun) ?? new Set()).add(event.slice(dot)));
  }
  return [...verbs].map(([noun, all]) => `${noun}${[...all].join(" | ")}`);
}

const guardsOf = (rows: readonly ChartRow[]): readonly string[] =>
  rows.flatMap(({ event, guard }) => (event === "" && guard !== undefined ? [`[${guard}]`] : []));

/** An edge's transitions in full, one a line: `event [guard] / actions`. */
export const rowsText = ({ rows }: ChartEdge): string =>
  rows
    .map(({ event, guard, actions }) =>
      [
        event === "" ? "by itself" : event,
        ...(guard === undefined ? [] : [`[${guard}]`]),
        ...(actions.length === 0 ? [] : [`/ ${actions.join(", ")}`]),
      ].join(" "),
    )
    .join("\n");
