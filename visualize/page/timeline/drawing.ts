import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import type { Colors } from "./colors.ts";
import type { Link } from "./critical-path.ts";
import type { Bar } from "./lanes.ts";
import type { Places } from "./places.ts";
import type { Row } from "./rows.ts";

/** Everything that the canvas shows. */
export interface Drawing {
  readonly trace: TraceSnapshot;
  /** The bars in the rows. */
  readonly bars: readonly Bar[];
  readonly rows: readonly Row[];
  readonly places: Places;
  readonly width: number;
  readonly matches: readonly number[];
  readonly path: readonly Link[];
  readonly colors: Colors;
}

/** The row of a bar, by its lane and its number; undefined if it is not shown. */
export function rowFinder(rows: readonly Row[]): (of: Pick<Row, "lane" | "row">) => Row | undefined {
  const keyOf = ({ lane, row }: Pick<Row, "lane" | "row">): string => `${lane} ${row}`;
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return (of) => byKey.get(keyOf(of));
}
