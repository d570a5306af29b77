import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import { BAR_LANES, type BarLane } from "./lanes.ts";
import type { NestedBars } from "./nested-bars.ts";

/** Everything that has a lane. */
export type LaneName = BarLane | "monitors" | "problems" | "matches" | "usage";

/** A row of the timeline, in pixels from its top. */
export interface Row {
  readonly lane: LaneName;
  /** The number of the row in its lane. */
  readonly row: number;
  readonly name: string;
  /** The subtasks that the row has, by number and title. */
  readonly title?: string;
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
export function rowsOf(
  trace: TraceSnapshot,
  hasMatches: boolean,
  nested: Pick<NestedBars, "names" | "below">,
): readonly Row[] {
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
    for (const row of rowsIn(lane, counts.get(lane) ?? 0, nested)) {
      const height = lane === "usage" ? USAGE_HEIGHT : ROW_HEIGHT;
      rows.push({ lane, ...row, top, height });
      top += height;
    }
  return rows;
}

/** The rows of a lane, from top to bottom. */
function rowsIn(
  lane: LaneName,
  number: number,
  { names, below }: Pick<NestedBars, "names" | "below">,
): readonly Pick<Row, "row" | "name" | "title">[] {
  const own = Array.from({ length: number }, (_, row) => ({ row, name: row === 0 ? laneName(lane) : "" }));
  if (lane !== "subtasks") return own;
  return own.flatMap(({ row, name }) => {
    const of = names.get(row);
    return [{ row, ...of, name: of?.name || name }, ...(below.get(row) ?? [])];
  });
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
