/** The copies created here: they are not copied again. */
const copies = new WeakSet<object>();

/**
 * A frozen copy with the values that JSON has: fields with the value undefined are omitted. A copy of a copy is the same
 * object.
 */
export function frozenCopy<T>(value: T): T;
export function frozenCopy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return isPlain(value) ? value : undefined;
  if (copies.has(value)) return value;
  const copy = Array.isArray(value) ? value.map((item) => frozenCopy(item) ?? null) : fieldsOf(value);
  copies.add(copy);
  return Object.freeze(copy);
}

function fieldsOf(value: object): object {
  const copy = {};
  for (const [field, item] of Object.entries(value)) {
    const copied = frozenCopy(item);
    // As a plain assignment, `__proto__` would not be a field.
    if (copied !== undefined) Object.defineProperty(copy, field, { value: copied, enumerable: true });
  }
  return copy;
}

const isPlain = (value: unknown): boolean =>
  value === null || ["string", "number", "boolean"].includes(typeof value);
