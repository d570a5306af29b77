import type { Chart, ChartEdge } from "../../chart/chart.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";

/**
 * The edges of the chart that an event took: the edges of its microsteps, if the machine was inspected. Otherwise the
 * shortest path from the state before to the state after that begins with the event and continues with eventless edges.
 */
export class EdgePaths {
  readonly #edges = new Map<string, ChartEdge[]>();
  readonly #initial = new Map<string, string>();
  readonly #inner = new Map<string, readonly string[]>();
  readonly #known = new Map<string, readonly string[]>();
  readonly #targets: ReadonlyMap<string, string>;

  constructor({ states, edges }: Chart) {
    for (const edge of edges) this.#edges.set(edge.source, [...(this.#edges.get(edge.source) ?? []), edge]);
    for (const { path, parent, isInitial, inner } of states) {
      if (isInitial && parent !== undefined) this.#initial.set(parent, path);
      this.#inner.set(path, inner);
    }
    this.#targets = new Map(edges.map(({ id, target }) => [id, target]));
  }

  /** The ids of the edges, in order. */
  of({ record, microsteps }: TraceEvent): readonly string[] {
    if (record.kind !== "commit") return [];
    if (microsteps !== undefined) {
      const taken = microsteps.flatMap(({ transitions }) =>
        transitions.flatMap(({ source, targets }) => targets.map((target) => `${source} -> ${target}`)),
      );
      const inChart = taken.filter((id) => this.#targets.has(id));
      if (inChart.length > 0 || record.before === record.after) return inChart;
    }
    const { before, after, effects } = record;
    const event = record.cause?.type ?? "";
    const stays = before === after && (effects.length === 0 || this.#staysAt(before, event));
    if (stays && effects.length === 0) return [];
    const key = `${before} ${event} ${after}`;
    const known = this.#known.get(key) ?? this.#search(before, event, after);
    this.#known.set(key, known);
    return known;
  }

  /** The states that these edges enter before the last. */
  passed(ids: readonly string[]): readonly string[] {
    return ids.slice(0, -1).map((id) => this.leafOf(this.#targets.get(id) ?? ""));
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

  #search(before: string, event: string, after: string): readonly string[] {
    const start = this.leafOf(before);
    const withEvent = this.#from(start, event);
    const first = withEvent.length > 0 ? withEvent : this.#from(start, "");
    let paths = first.map((edge) => [edge]);
    const reached = new Set<string>();
    // Each round reaches leaves that no earlier one reached: it terminates.
    while (paths.length > 0) {
      const found = paths.find((path) => this.#endOf(path) === after);
      if (found !== undefined) return found.map(({ id }) => id);
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
