import { memo } from "react";
import { count, dollars } from "../../model/format.ts";
import type { UsageTotal } from "../../model/trace-index.ts";

const WIDTH = 240;
const HEIGHT = 44;

export interface CostPlotProps {
  readonly usage: readonly UsageTotal[];
  readonly at: number;
  readonly end: number;
}

/** The usage by event: cost as a line, tokens of each request as bars, the current event as a vertical line. */
export function CostPlot({ usage, at, end }: CostPlotProps) {
  const now = usage.findLast(({ seq }) => seq <= at);
  const summary = now === undefined ? "no usage yet" : summaryOf(now.cost, most(usage));
  const x = xOf(at, end);
  return (
    <figure className="sb-plot">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Cost by event: ${summary}`}
      >
        <Drawing usage={usage} end={end} />
        <path className="sb-plot-future" d={`M${x} 0H${WIDTH}V${HEIGHT}H${x}Z`} />
        <path className="sb-rule" d={`M${x} 0V${HEIGHT}`} />
      </svg>
      <figcaption>
        <span className="sb-key-line" /> cost <span className="sb-key-bar" /> tokens of a request
      </figcaption>
    </figure>
  );
}

const xOf = (seq: number, end: number): number => (seq / Math.max(1, end)) * WIDTH;

const summaryOf = (cost: number | null, total: number): string =>
  cost === null ? dollars(cost) : `${dollars(cost)} of ${dollars(total)}`;

/** The sums only grow: the last known one is the largest. */
const most = (usage: readonly UsageTotal[]): number => usage.findLast(({ cost }) => cost !== null)?.cost ?? 0;

interface Column {
  readonly seq: number;
  readonly tokens: number;
  readonly cost: number | null;
}

/** The usage of each column of pixels: a long task has more requests than columns. */
function columnsOf(usage: readonly UsageTotal[], end: number): readonly Column[] {
  const columns = new Map<number, Column>();
  let before = 0;
  for (const { seq, cost, tokensIn, tokensOut } of usage) {
    const column = Math.round(xOf(seq, end) * 2);
    const known = columns.get(column);
    const tokens = (known?.tokens ?? 0) + tokensIn + tokensOut - before;
    columns.set(column, { seq: known?.seq ?? seq, tokens, cost });
    before = tokensIn + tokensOut;
  }
  return [...columns.values()];
}

/** The part that does not depend on the current event. */
const Drawing = memo(function Drawing({ usage, end }: Pick<CostPlotProps, "usage" | "end">) {
  const columns = columnsOf(usage, end);
  const mostCost = Math.max(1e-9, most(usage));
  const mostTokens = Math.max(1, ...columns.map(({ tokens }) => tokens));
  const y = (cost: number): number => HEIGHT - 3 - (cost / mostCost) * (HEIGHT - 8);
  // The line ends where the cost is unknown.
  const line = columns.map(({ seq, cost }) => (cost === null ? "" : `H${xOf(seq, end)}V${y(cost)}`)).join("");
  const lineEnd = columns.every(({ cost }) => cost !== null) ? `H${WIDTH}` : "";
  return (
    <>
      {columns.map(({ seq, tokens }) => {
        const height = (tokens / mostTokens) * (HEIGHT - 8);
        return (
          <rect
            key={seq}
            className="sb-bar"
            x={xOf(seq, end) - 1.5}
            y={HEIGHT - 3 - height}
            width="3"
            height={height}
          >
            <title>{`event ${seq}: ${count(tokens)} tokens`}</title>
          </rect>
        );
      })}
      <path className="sb-cost" d={`M0 ${y(0)}${line}${lineEnd}`} />
    </>
  );
});
