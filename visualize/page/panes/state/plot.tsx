import { memo } from "react";
import { count, dollars } from "../../model/format.ts";
import type { Spent } from "../../model/trace-index.ts";

const WIDTH = 240;
const HEIGHT = 44;

export interface SpentPlotProps {
  readonly spent: readonly Spent[];
  readonly at: number;
  readonly end: number;
}

/** What was spent, event by event: the cost as a line, the tokens of each request as bars, the present place as a rule. */
export function SpentPlot({ spent, at, end }: SpentPlotProps) {
  const now = spent.findLast(({ seq }) => seq <= at);
  // The sums only grow: the last is the most.
  const most = spent.at(-1)?.cost ?? 0;
  const words = now === undefined ? "nothing was spent yet" : `${dollars(now.cost)} of ${dollars(most)}`;
  const place = placeOf(at, end);
  return (
    <figure className="sb-plot">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Cost by event: ${words}`}
      >
        <Drawn spent={spent} length={spent.length} end={end} />
        <path className="sb-plot-ahead" d={`M${place} 0H${WIDTH}V${HEIGHT}H${place}Z`} />
        <path className="sb-rule" d={`M${place} 0V${HEIGHT}`} />
      </svg>
      <figcaption>
        <span className="sb-key-line" /> cost <span className="sb-key-bar" /> tokens of a request
      </figcaption>
    </figure>
  );
}

const placeOf = (seq: number, end: number): number => (seq / Math.max(1, end)) * WIDTH;

interface Column {
  readonly seq: number;
  readonly tokens: number;
  readonly cost: number;
}

/** What the requests of each column of the picture used: a long task has more of them than there are columns. */
function columnsOf(spent: readonly Spent[], end: number): readonly Column[] {
  const columns = new Map<number, Column>();
  let before = 0;
  for (const { seq, cost, tokensIn, tokensOut } of spent) {
    const column = Math.round(placeOf(seq, end) * 2);
    const known = columns.get(column);
    const tokens = (known?.tokens ?? 0) + tokensIn + tokensOut - before;
    columns.set(column, { seq: known?.seq ?? seq, tokens, cost });
    before = tokensIn + tokensOut;
  }
  return [...columns.values()];
}

/** What stays as it is while one goes to and fro. The length stands for the list, which stays the same as it grows. */
const Drawn = memo(function Drawn({
  spent,
  end,
}: Pick<SpentPlotProps, "spent" | "end"> & { readonly length: number }) {
  const columns = columnsOf(spent, end);
  const most = Math.max(1e-9, spent.at(-1)?.cost ?? 0);
  const mostTokens = Math.max(1, ...columns.map(({ tokens }) => tokens));
  const y = (cost: number): number => HEIGHT - 3 - (cost / most) * (HEIGHT - 8);
  const line = columns.map(({ seq, cost }) => `H${placeOf(seq, end)}V${y(cost)}`).join("");
  return (
    <>
      {columns.map(({ seq, tokens }) => {
        const height = (tokens / mostTokens) * (HEIGHT - 8);
        return (
          <rect
            key={seq}
            className="sb-bar"
            x={placeOf(seq, end) - 1.5}
            y={HEIGHT - 3 - height}
            width="3"
            height={height}
          >
            <title>{`event ${seq}: ${count(tokens)} tokens`}</title>
          </rect>
        );
      })}
      <path className="sb-cost" d={`M0 ${y(0)}${line}H${WIDTH}`} />
    </>
  );
});
