import type { TaskEvent } from "../machines/task/index.ts";
import type { Crash } from "./crash.ts";

/** What leads from one state of an exploration to the next. */
export type PathEvent = TaskEvent | Crash;

/** One state of an exploration, and the first way to it. */
export interface Place {
  readonly state: string;
  readonly from: Place | undefined;
  readonly event: PathEvent | undefined;
  /** Where one event leads here from. The end of a process is no way: nobody may count on it (L13). */
  readonly predecessors: Set<Place>;
  /** Whether every way out was taken. */
  isExpanded: boolean;
}

/** What an exploration has found: its states by their keys, and the ways between them. */
export class Graph {
  readonly #places = new Map<string, Place>();

  get size(): number {
    return this.#places.size;
  }

  /** The place of `key`, which `event` reached. */
  reach(
    key: string,
    state: string,
    from: Place | undefined,
    event: PathEvent | undefined,
  ): { readonly place: Place; readonly isNew: boolean } {
    const known = this.#places.get(key);
    const place = known ?? { state, from, event, predecessors: new Set(), isExpanded: false };
    const isWay = event?.type !== "process.crashed";
    if (isWay && from !== undefined && from !== place) place.predecessors.add(from);
    if (known === undefined) this.#places.set(key, place);
    return { place, isNew: known === undefined };
  }

  isComplete(): boolean {
    return [...this.#places.values()].every(({ isExpanded }) => isExpanded);
  }

  /** The events that lead to `place`, in order, and `last`. */
  pathTo(place: Place, last?: PathEvent): readonly PathEvent[] {
    const path = last === undefined ? [] : [last];
    for (let at: Place | undefined = place; at !== undefined; at = at.from)
      if (at.event !== undefined) path.push(at.event);
    return path.reverse();
  }

  /** The places from which no way leads to a goal, nor to one whose ways out are unknown. */
  nodesWithoutPathTo(isGoal: (place: Place) => boolean): readonly Place[] {
    const all = [...this.#places.values()];
    const reaching = new Set(all.filter((place) => isGoal(place) || !place.isExpanded));
    for (const place of reaching) for (const before of place.predecessors) reaching.add(before);
    return all.filter((place) => !reaching.has(place));
  }
}
