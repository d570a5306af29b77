/** The copies that were made here: they need no other. */
const made = new WeakSet<object>();

/**
 * A copy as JSON would make it, that nobody can change: fields without a value are left out. Text is shared, as it can't
 * change. A copy of a copy is itself.
 */
export function frozenCopy<T>(value: T): T;
export function frozenCopy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return isPlain(value) ? value : undefined;
  if (made.has(value)) return value;
  const copy = Array.isArray(value) ? value.map((item) => frozenCopy(item) ?? null) : fieldsOf(value);
  made.add(copy);
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
