import type { TaskEvent } from "../machines/task/index.ts";
import type { Crash } from "./crash.ts";

/** What leads from one state of an exploration to the next. */
export type Happening = TaskEvent | Crash;

/** One state of an exploration, and the first way to it. */
export interface Place {
  readonly state: string;
  readonly from: Place | undefined;
  readonly event: Happening | undefined;
  /** Where one event leads here from. The end of a process is no way: nobody may count on it (L13). */
  readonly before: Set<Place>;
  /** Whether every way out was taken. */
  isLeft: boolean;
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
    event: Happening | undefined,
  ): { readonly place: Place; readonly isNew: boolean } {
    const known = this.#places.get(key);
    const place = known ?? { state, from, event, before: new Set(), isLeft: false };
    const isWay = event?.type !== "process.crashed";
    if (isWay && from !== undefined && from !== place) place.before.add(from);
    if (known === undefined) this.#places.set(key, place);
    return { place, isNew: known === undefined };
  }

  isWhole(): boolean {
    return [...this.#places.values()].every(({ isLeft }) => isLeft);
  }

  /** The events that lead to `place`, in order, and `last`. */
  pathTo(place: Place, last?: Happening): readonly Happening[] {
    const path = last === undefined ? [] : [last];
    for (let at: Place | undefined = place; at !== undefined; at = at.from)
      if (at.event !== undefined) path.push(at.event);
    return path.reverse();
  }

  /** The places from which no way leads to a goal, nor to one whose ways out are unknown. */
  withoutWayTo(isGoal: (place: Place) => boolean): readonly Place[] {
    const all = [...this.#places.values()];
    const reaching = new Set(all.filter((place) => isGoal(place) || !place.isLeft));
    for (const place of reaching) for (const before of place.before) reaching.add(before);
    return all.filter((place) => !reaching.has(place));
  }
}
