import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import { BAR_LANES, type BarLane } from "./lanes.ts";

/** Everything that has a lane. */
export type LaneName = BarLane | "monitors" | "problems" | "matches" | "usage";

/** A row of the timeline, in pixels from its top. */
export interface Row {
  readonly lane: LaneName;
  /** The number of the row in its lane. */
  readonly row: number;
  readonly name: string;
  readonly top: number;
  readonly height: number;
  /** Whether its bars have no texts. */
  readonly isPlain?: true;
}

/** The height of the axis, of a row, of the row of usage, and of a timeline of one row. */
export const AXIS_HEIGHT = 18;
const ROW_HEIGHT = 17;
const USAGE_HEIGHT = 26;
const STRIP_HEIGHT = 40;

const ORDER: readonly LaneName[] = [
  ...BAR_LANES.filter((lane) => lane !== "checks" && lane !== "setup"),
  ...(["monitors", "problems", "matches", "usage", "checks", "setup"] as const),
];

const NAMES: Readonly<Record<LaneName, string>> = {
  state: "state",
  model: "model",
  tools: "tools",
  subtasks: "subtasks",
  person: "you",
  monitors: "monitors",
  problems: "problems",
  matches: "search",
  usage: "usage",
  checks: "checks",
  setup: "setup",
};

/** The name of a lane. */
export const laneName = (lane: LaneName): string => NAMES[lane];

/** The rows of the lanes that have something to show. */
export function rowsOf(trace: TraceSnapshot, hasMatches: boolean): readonly Row[] {
  const { timeline, problems, usage } = trace.index;
  const counts = new Map<LaneName, number>([
    ...timeline.rows,
    ["monitors", timeline.verdicts.length > 0 ? 1 : 0],
    ["problems", problems.list.length > 0 ? 1 : 0],
    ["matches", hasMatches ? 1 : 0],
    ["usage", timeline.context.length + usage.length > 0 ? 1 : 0],
  ]);
  const rows: Row[] = [];
  let top = AXIS_HEIGHT;
  for (const lane of ORDER)
    for (let row = 0; row < (counts.get(lane) ?? 0); row += 1) {
      const height = lane === "usage" ? USAGE_HEIGHT : ROW_HEIGHT;
      rows.push({ lane, row, name: row === 0 ? laneName(lane) : "", top, height });
      top += height;
    }
  return rows;
}

/** The only row where there is no room for lanes: the state. */
export const STRIP: readonly Row[] = [
  { lane: "state", row: 0, name: "", top: AXIS_HEIGHT, height: STRIP_HEIGHT - AXIS_HEIGHT },
];

/** The height of all rows. */
export const heightOf = (rows: readonly Row[]): number => {
  const last = rows.at(-1);
  return last === undefined ? AXIS_HEIGHT : last.top + last.height;
};
