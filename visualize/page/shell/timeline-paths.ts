import { AGENT_LOOP_STATES, type AgentLoopState } from "../../../machines/message/states.ts";
import type { TraceIndex } from "../model/trace-index.ts";

/** The height of one state's band, and the space above the first, in pixels. */
export const BAND_HEIGHT = 10;
export const TOP = 3;
/** The horizontal resolution: finer details are not shown. */
const COLUMNS = 2_000;

export interface TimelinePaths {
  /** The vertical lines between state spans. */
  readonly joins: string;
  /** Each state's spans as bars in its band. */
  readonly spans: Readonly<Record<AgentLoopState, string>>;
}

/** SVG paths of the first `width` events, with at most one segment per column. */
export function timelinePaths({ stateSpans }: Pick<TraceIndex, "stateSpans">, width: number): TimelinePaths {
  const step = Math.max(1, width / COLUMNS);
  const bars = AGENT_LOOP_STATES.map((state) => ({ state, path: "", from: 0, to: -1 }));
  const joins: string[] = [];
  let before: number | undefined;
  let column = -1;
  for (const { state, from, to } of stateSpans) {
    if (from >= width) break;
    const band = AGENT_LOOP_STATES.indexOf(state);
    const bar = bars[band];
    if (bar === undefined) continue;
    if (bar.to >= 0 && from - bar.to < step) bar.to = to + 1;
    else {
      bar.path += pathOf(bar, band);
      bar.from = from;
      bar.to = to + 1;
    }
    const middle = middleOf(band);
    const here = Math.floor(from / step);
    if (before !== undefined && (here !== column || step === 1)) {
      joins.push(`M${from} ${before}V${middle}`);
      column = here;
    }
    before = middle;
  }
  const spans = Object.fromEntries(bars.map((bar, band) => [bar.state, bar.path + pathOf(bar, band)]));
  return { joins: joins.join(""), spans: spans as TimelinePaths["spans"] };
}

const middleOf = (band: number): number => TOP + (band + 0.5) * BAND_HEIGHT;

function pathOf({ from, to }: { readonly from: number; readonly to: number }, band: number): string {
  const middle = middleOf(band);
  return to < 0 ? "" : `M${from} ${middle - 3}H${to}V${middle + 3}H${from}Z`;
}

/** An SVG path with a vertical line at each of these events, at most one per column. */
export function markerPath(events: readonly number[], width: number, height: number): string {
  const step = Math.max(1, width / COLUMNS);
  const columns = new Map(events.map((seq) => [Math.floor(seq / step), seq]));
  return [...columns.values()].map((seq) => `M${seq + 0.5} 0V${height}`).join("");
}
