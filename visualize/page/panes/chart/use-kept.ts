import { useRef } from "react";

interface Drawn {
  readonly id: string;
  readonly data?: object;
}

/** The same things, each as the object that it was before where nothing of it has changed: then it is not drawn anew. */
export function useKept<T extends Drawn>(fresh: readonly T[]): T[] {
  const kept = useRef<ReadonlyMap<string, T>>(new Map());
  const list = fresh.map((one) => {
    const before = kept.current.get(one.id);
    return before !== undefined && isSame(before, one) ? before : one;
  });
  kept.current = new Map(list.map((one) => [one.id, one]));
  return list;
}

/** By their fields, and the fields of what these hold. */
function isSame(one: object, other: object, depth = 1): boolean {
  const [fields, others] = [Object.entries(one), new Map(Object.entries(other))];
  return (
    fields.length === others.size &&
    fields.every(([name, value]) => {
      const beside: unknown = others.get(name);
      if (Object.is(value, beside)) return true;
      const areObjects = isObject(value) && isObject(beside);
      return depth > 0 && areObjects && isSame(value, beside, depth - 1);
    })
  );
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
