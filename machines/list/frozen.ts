/**
 * Freeze a value and all plain data in it, once: what is frozen already is not looked at again. Other objects, such as actors
 * and maps, stay as they are. Takes time in proportion to what is new.
 */
export function frozen<T>(value: T): T {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (!isData(next) || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const member of Object.values(next)) left.push(member);
  }
  return value;
}

function isData(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}
