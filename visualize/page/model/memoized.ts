import type { TraceIndex } from "./trace-index.ts";

/** A function of an index, which never changes: it is computed once. */
export function memoized<T>(compute: (index: TraceIndex) => T): (index: TraceIndex) => T {
  const known = new WeakMap<TraceIndex, { readonly value: T }>();
  return (index) => {
    const found = known.get(index) ?? { value: compute(index) };
    known.set(index, found);
    return found.value;
  };
}
