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
}

interface Visited<World> {
  readonly world: World;
  readonly from: number;
  readonly label: string;
}

/** Visit all worlds, those with fewer steps first, and check each. */
export function searchWorlds<World>(options: SearchOptions<World>): SearchResult {
  const { first, moves, keyOf, broken, maxStates } = options;
  const visited: Visited<World>[] = [{ world: first, from: -1, label: "" }];
  const seen = new Set([keyOf(first)]);
  let steps = 0;
  for (const [at, { world }] of visited.entries()) {
    const found = broken(world);
    if (found !== undefined) {
      const violation = { ...found, path: pathTo(visited, at) };
      return { states: visited.length, steps, isComplete: false, violation };
    }
    for (const { world: next, label } of moves(world)) {
      steps += 1;
      const key = keyOf(next);
      if (key === undefined || seen.has(key)) continue;
      seen.add(key);
      visited.push({ world: next, from: at, label });
      if (visited.length > maxStates) return { states: visited.length, steps, isComplete: false };
    }
  }
  return { states: visited.length, steps, isComplete: true };
}

/** A law of each world. */
interface WorldLaw<World> {
  readonly id: string;
  readonly broken: (world: World) => string | undefined;
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
