/** A step from a world. */
export interface SearchMove<World> {
  readonly label: string;
  readonly world: World;
}

/** A broken law, and how a world breaks it. */
export interface BrokenLaw {
  readonly law: string;
  readonly what: string;
}

/** A broken law with a shortest path to it. */
export interface SearchViolation extends BrokenLaw {
  readonly path: readonly string[];
}

export interface SearchResult {
  readonly states: number;
  readonly steps: number;
  /** Steps of the longest of the shortest paths to the worlds. */
  readonly depth: number;
  /** Whether all worlds within the bounds were visited. */
  readonly isComplete: boolean;
  /** The first one found. */
  readonly violation?: SearchViolation;
}

export interface SearchOptions<World> {
  readonly first: World;
  readonly moves: (world: World) => readonly SearchMove<World>[];
  /** The worlds with the same key are one. Undefined for a world that is out of bounds. */
  readonly keyOf: (world: World) => string | undefined;
  readonly broken: (world: World) => BrokenLaw | undefined;
  /** Limit of visited worlds. */
  readonly maxStates: number;
  /** Called once per 1,000 checked worlds. */
  readonly onProgress?: ((progress: SearchProgress) => void) | undefined;
}

export type SearchProgress = Pick<SearchResult, "states" | "steps" | "depth">;

/** Default limit of visited worlds. */
export const MAX_WORLDS = 1_000_000;
/** Checked worlds between two progress reports. */
const PROGRESS_INTERVAL = 1_000;

interface Visited<World> {
  readonly world: World;
  readonly from: number;
  readonly label: string;
  readonly depth: number;
}

/** Visit all worlds, those with fewer steps first, and check each. */
export function searchWorlds<World>(options: SearchOptions<World>): SearchResult {
  const { first, moves, keyOf, broken, maxStates, onProgress } = options;
  const visited: Visited<World>[] = [{ world: first, from: -1, label: "", depth: 0 }];
  const seen = new Set([keyOf(first)]);
  let steps = 0;
  const far = (): SearchProgress => ({ states: visited.length, steps, depth: visited.at(-1)?.depth ?? 0 });
  for (const [at, { world, depth }] of visited.entries()) {
    const found = broken(world);
    if (found !== undefined)
      return { ...far(), isComplete: false, violation: { ...found, path: pathTo(visited, at) } };
    for (const { world: next, label } of moves(world)) {
      steps += 1;
      const key = keyOf(next);
      if (key === undefined || seen.has(key)) continue;
      seen.add(key);
      visited.push({ world: next, from: at, label, depth: depth + 1 });
      if (visited.length > maxStates) return { ...far(), isComplete: false };
    }
    if (at % PROGRESS_INTERVAL === PROGRESS_INTERVAL - 1) onProgress?.(far());
  }
  return { ...far(), isComplete: true };
}

/** A law of each world. */
interface WorldLaw<World> {
  readonly id: string;
  readonly broken: (world: World) => string | undefined;
}

/** Parts of an exploration that do not depend on what is explored. */
export interface SearchLimits {
  /** The ids of the checked laws. Default: all. */
  readonly laws?: readonly string[] | undefined;
  /** Limit of visited worlds. Default 1,000,000. */
  readonly maxStates?: number;
  readonly onProgress?: ((progress: SearchProgress) => void) | undefined;
}

/** The first law that a world breaks. */
export function firstBroken<World>(laws: readonly WorldLaw<World>[], world: World): BrokenLaw | undefined {
  for (const { id, broken } of laws) {
    const what = broken(world);
    if (what !== undefined) return { law: id, what };
  }
  return undefined;
}

function pathTo<World>(visited: readonly Visited<World>[], to: number): readonly string[] {
  const path: string[] = [];
  for (let at = to; at > 0; ) {
    const { from, label } = visited[at] ?? { from: 0, label: "" };
    path.unshift(label);
    at = from;
  }
  return path;
}
