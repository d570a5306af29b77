import { useRef } from "react";

interface Item {
  readonly id: string;
  readonly data?: object;
}

/** Return the previous object of each unchanged item, so that it is not rendered again. */
export function useStableItems<T extends Item>(fresh: readonly T[]): T[] {
  const kept = useRef<ReadonlyMap<string, T>>(new Map());
  const list = fresh.map((one) => {
    const before = kept.current.get(one.id);
    return before !== undefined && isSame(before, one) ? before : one;
  });
  kept.current = new Map(list.map((one) => [one.id, one]));
  return list;
}

/** Compare fields, and the fields of objects in them. */
function isSame(one: object, other: object, depth = 1): boolean {
  const [fields, others] = [Object.entries(one), new Map(Object.entries(other))];
  return (
    fields.length === others.size &&
    fields.every(([name, value]) => {
      const otherValue: unknown = others.get(name);
      if (Object.is(value, otherValue)) return true;
      const areObjects = isObject(value) && isObject(otherValue);
      return depth > 0 && areObjects && isSame(value, otherValue, depth - 1);
    })
  );
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
