import type { Chart, ChartEdge, ChartTransition } from "../../chart/chart.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";

/**
 * A row of the chart that was taken. There is one object for the same rows of the same edge, so it can be a key.
 */
export interface TakenRow {
  /** The id of its edge. */
  readonly edge: string;
  /**
   * The row. Several: one of them, because a journal has no microsteps and they differ in their guards only. None: the
   * states between which the edge leads are known, and no substates.
   */
  readonly rows: readonly ChartTransition[];
}

/**
 * The rows of the chart that an event took: the rows of its microsteps, if the machine was inspected. Otherwise the
 * shortest path from the state before to the state after that begins with the event and continues with eventless edges.
 */
export class EdgePaths {
  readonly #edges = new Map<string, ChartEdge[]>();
  readonly #initial = new Map<string, string>();
  readonly #inner = new Map<string, readonly string[]>();
  readonly #known = new Map<string, readonly TakenRow[]>();
  readonly #byId: ReadonlyMap<string, ChartEdge>;
  readonly #rows = new Map<string, TakenRow>();

  constructor({ states, edges }: Chart) {
    for (const edge of edges) this.#edges.set(edge.source, [...(this.#edges.get(edge.source) ?? []), edge]);
    for (const { path, parent, isInitial, inner } of states) {
      if (isInitial && parent !== undefined) this.#initial.set(parent, path);
      this.#inner.set(path, inner);
    }
    this.#byId = new Map(edges.map((edge) => [edge.id, edge]));
  }

  /** The rows, in order, and whether they are inferred: the trace has no microsteps of the event. */
  taken(event: Pick<TraceEvent, "record" | "microsteps">): {
    readonly rows: readonly TakenRow[];
    readonly isInferred: boolean;
  } {
    const recorded = this.#recorded(event);
    return recorded === undefined
      ? { rows: this.#inferred(event), isInferred: true }
      : { rows: recorded, isInferred: false };
  }

  /** The rows of the event's microsteps; undefined if the trace has none that explain where the machine is. */
  #recorded({
    record,
    microsteps,
  }: Pick<TraceEvent, "record" | "microsteps">): readonly TakenRow[] | undefined {
    if (record.kind !== "commit" || microsteps === undefined) return undefined;
    const taken = microsteps.flatMap(({ transitions }) =>
      transitions.flatMap(({ source, targets, event, guard }) =>
        targets.flatMap((target) => this.row(`${source} -> ${target}`, event, guard) ?? []),
      ),
    );
    return taken.length > 0 || record.before === record.after ? taken : undefined;
  }

  #inferred({ record }: Pick<TraceEvent, "record">): readonly TakenRow[] {
    if (record.kind !== "commit") return [];
    const { before, after, effects } = record;
    const event = record.cause?.type ?? "";
    const stays = before === after && (effects.length === 0 || this.#staysAt(before, event));
    if (stays && effects.length === 0) return [];
    const key = `${before} ${event} ${after}`;
    const known = this.#known.get(key) ?? this.#infer(before, event, after);
    this.#known.set(key, known);
    return known;
  }

  #infer(before: string, event: string, after: string): readonly TakenRow[] {
    const found = this.#search(before, event, after);
    return found.length > 0 || before === after ? found : this.#between(before, after);
  }

  /**
   * The shortest path between two states that may have substates: of a session of another agent only the top states are
   * known. Which rows were taken within them is not.
   */
  #between(before: string, after: string): readonly TakenRow[] {
    const goal = topOf(after);
    const reached = new Set([topOf(before)]);
    let paths: readonly (readonly ChartEdge[])[] = [[]];
    // Each round reaches top states that no earlier one reached: it terminates.
    while (paths.length > 0) {
      const longer = paths.flatMap((path) =>
        this.#leaving(topOf(path.at(-1)?.target ?? before)).map((edge) => [...path, edge]),
      );
      const found = longer.find((path) => topOf(path.at(-1)?.target ?? "") === goal);
      if (found !== undefined) return found.map((edge) => this.#anyOf(edge));
      paths = longer.filter((path) => {
        const end = topOf(path.at(-1)?.target ?? "");
        const isFresh = !reached.has(end);
        reached.add(end);
        return isFresh;
      });
    }
    return [];
  }

  /** The edges from a top state or its substates to other top states. */
  #leaving(top: string): readonly ChartEdge[] {
    return [...this.#byId.values()].filter(
      ({ source, target }) => topOf(source) === top && topOf(target) !== top,
    );
  }

  /** An edge whose row is not known. */
  #anyOf({ id }: ChartEdge): TakenRow {
    const taken = this.#rows.get(id) ?? { edge: id, rows: [] };
    this.#rows.set(id, taken);
    return taken;
  }

  /** The row of an edge with this event and guard; undefined if the chart has no such edge. */
  row(edge: string, event: string, guard: string | undefined): TakenRow | undefined {
    const known = this.#byId.get(edge);
    return known && this.#taken(known, event, (row) => row.guard === guard);
  }

  /** The row of an edge that an event took, if the edge is in the chart. Several rows: one of them was taken. */
  anyRow(edge: string, event: string): TakenRow | undefined {
    const known = this.#byId.get(edge);
    return known && this.#taken(known, event, () => true);
  }

  #taken({ id, rows }: ChartEdge, event: string, isTaken: (row: ChartTransition) => boolean): TakenRow {
    const withEvent = rows.filter((row) => row.event === event);
    const exact = withEvent.filter(isTaken);
    const fitting = exact.length > 0 ? exact : withEvent;
    const key = [id, ...fitting.map((row) => rows.indexOf(row))].join(" ");
    const taken = this.#rows.get(key) ?? { edge: id, rows: fitting };
    this.#rows.set(key, taken);
    return taken;
  }

  /** The states that these rows enter before the last. */
  passed(rows: readonly TakenRow[]): readonly string[] {
    return rows.slice(0, -1).map(({ edge }) => this.leafOf(this.#byId.get(edge)?.target ?? ""));
  }

  /** The leaf state that is entered with `path`. */
  leafOf(path: string): string {
    const first = this.#initial.get(path);
    return first === undefined ? path : this.leafOf(first);
  }

  #staysAt(path: string, event: string): boolean {
    return (this.#inner.get(path) ?? []).some((line) => line === event || line.startsWith(`${event} `));
  }

  /** The edges with this event, from the leaf state outwards. */
  #from(leaf: string, event: string): readonly ChartEdge[] {
    return ancestry(leaf).flatMap((path) =>
      (this.#edges.get(path) ?? []).filter(({ rows }) => rows.some((row) => row.event === event)),
    );
  }

  #search(before: string, event: string, after: string): readonly TakenRow[] {
    const start = this.leafOf(before);
    const withEvent = this.#from(start, event);
    const isEventless = withEvent.length === 0;
    const first = isEventless ? this.#from(start, "") : withEvent;
    let paths = first.map((edge) => [edge]);
    const reached = new Set<string>();
    // Each round reaches leaves that no earlier one reached: it terminates.
    while (paths.length > 0) {
      const found = paths.find((path) => this.#endOf(path) === after);
      if (found !== undefined)
        return found.map((edge, at) => this.#taken(edge, at === 0 && !isEventless ? event : "", () => true));
      const fresh = paths.filter((path) => !reached.has(this.#endOf(path)));
      for (const path of fresh) reached.add(this.#endOf(path));
      paths = fresh.flatMap((path) => this.#from(this.#endOf(path), "").map((edge) => [...path, edge]));
    }
    return [];
  }

  #endOf(path: readonly ChartEdge[]): string {
    return this.leafOf(path.at(-1)?.target ?? "");
  }
}

const topOf = (path: string): string => path.split(".", 1)[0] ?? path;

/** A path and its ancestors, from the inside out. */
export function ancestry(path: string): readonly string[] {
  const known = ANCESTRIES.get(path);
  if (known !== undefined) return known;
  const parts = path.split(".");
  const paths = parts.map((_, index) => parts.slice(0, parts.length - index).join("."));
  ANCESTRIES.set(path, paths);
  return paths;
}

/** A machine has few paths, which are needed for each event. */
const ANCESTRIES = new Map<string, readonly string[]>();
