import { count, dollars } from "../../model/format.ts";
import type { Spent } from "../../model/trace-index.ts";

const WIDTH = 240;
const HEIGHT = 44;

/** What was spent, event by event: the cost as a line, the tokens of each request as bars, the present place as a rule. */
export function SpentPlot({
  spent,
  at,
  end,
}: {
  readonly spent: readonly Spent[];
  readonly at: number;
  readonly end: number;
}) {
  const most = Math.max(1e-9, ...spent.map(({ cost }) => cost));
  const steps = spent.map((one, index) => {
    const before = spent[index - 1];
    return {
      ...one,
      tokens: one.tokensIn + one.tokensOut - (before?.tokensIn ?? 0) - (before?.tokensOut ?? 0),
    };
  });
  const mostTokens = Math.max(1, ...steps.map(({ tokens }) => tokens));
  const x = (seq: number): number => (seq / Math.max(1, end)) * WIDTH;
  const y = (cost: number): number => HEIGHT - 3 - (cost / most) * (HEIGHT - 8);
  const line = spent.reduce((path, { seq, cost }) => `${path}H${x(seq)}V${y(cost)}`, `M0 ${y(0)}`);
  const now = spent.findLast(({ seq }) => seq <= at);
  const words = now === undefined ? "nothing was spent yet" : `${dollars(now.cost)} of ${dollars(most)}`;
  return (
    <figure className="sb-plot">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Cost by event: ${words}`}
      >
        {steps.map(({ seq, tokens }) => {
          const height = (tokens / mostTokens) * (HEIGHT - 8);
          return (
            <rect
              key={seq}
              className={seq <= at ? "sb-bar" : "sb-bar is-later"}
              x={x(seq) - 1.5}
              y={HEIGHT - 3 - height}
              width="3"
              height={height}
            >
              <title>{`event ${seq}: ${count(tokens)} tokens`}</title>
            </rect>
          );
        })}
        <path className="sb-cost" d={`${line}H${WIDTH}`} />
        <path className="sb-rule" d={`M${x(at)} 0V${HEIGHT}`} />
      </svg>
      <figcaption>
        <span className="sb-key-line" /> cost <span className="sb-key-bar" /> tokens of a request
      </figcaption>
    </figure>
  );
}
