import type { TraceEvent } from "../../../trace/index.ts";
import type { Chart, ChartEdge } from "../../chart/index.ts";

/**
 * Which arrows of the chart an event went along. Where the machine was inspected, its microsteps say it. A recorded
 * event says only where it began and ended: then it is the shortest way that begins with its type and goes on with
 * what needs no event.
 */
export class Walks {
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

  /** The ids of the arrows, in order. */
  of({ record, microsteps }: TraceEvent): readonly string[] {
    if (record.kind !== "commit") return [];
    if (microsteps !== undefined) {
      const taken = microsteps.flatMap(({ transitions }) =>
        transitions.flatMap(({ source, targets }) => targets.map((target) => `${source} -> ${target}`)),
      );
      const drawn = taken.filter((id) => this.#targets.has(id));
      if (drawn.length > 0 || record.before === record.after) return drawn;
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

  /** The states that these arrows come to before the last. */
  passed(ids: readonly string[]): readonly string[] {
    return ids.slice(0, -1).map((id) => this.leafOf(this.#targets.get(id) ?? ""));
  }

  /** The leaf that one is in after coming to `path`. */
  leafOf(path: string): string {
    const first = this.#initial.get(path);
    return first === undefined ? path : this.leafOf(first);
  }

  #staysAt(path: string, event: string): boolean {
    return (this.#inner.get(path) ?? []).some((line) => line === event || line.startsWith(`${event} `));
  }

  /** From the leaf outwards: what leads on with this event. */
  #from(leaf: string, event: string): readonly ChartEdge[] {
    return ancestry(leaf).flatMap((path) =>
      (this.#edges.get(path) ?? []).filter(({ rows }) => rows.some((row) => row.event === event)),
    );
  }

  #search(before: string, event: string, after: string): readonly string[] {
    const start = this.leafOf(before);
    const first = this.#from(start, event);
    const begin = first.length > 0 ? first : this.#from(start, "");
    let ways = begin.map((edge) => [edge]);
    const seen = new Set<string>();
    // Each round comes to leaves that no earlier one came to: it ends.
    while (ways.length > 0) {
      const there = ways.find((way) => this.#endOf(way) === after);
      if (there !== undefined) return there.map(({ id }) => id);
      const fresh = ways.filter((way) => !seen.has(this.#endOf(way)));
      for (const way of fresh) seen.add(this.#endOf(way));
      ways = fresh.flatMap((way) => this.#from(this.#endOf(way), "").map((edge) => [...way, edge]));
    }
    return [];
  }

  #endOf(way: readonly ChartEdge[]): string {
    return this.leafOf(way.at(-1)?.target ?? "");
  }
}

/** A path and all that it lies in, from the inside out. */
export function ancestry(path: string): readonly string[] {
  const known = ANCESTRIES.get(path);
  if (known !== undefined) return known;
  const parts = path.split(".");
  const paths = parts.map((_, index) => parts.slice(0, parts.length - index).join("."));
  ANCESTRIES.set(path, paths);
  return paths;
}

/** A machine has few paths, and they are asked for with each event. */
const ANCESTRIES = new Map<string, readonly string[]>();
