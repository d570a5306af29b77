/** A value and its index in the file's list. */
export interface Indexed<T> {
  readonly index: number;
  readonly value: T;
}

export type Json = Readonly<Record<string, unknown>>;

/** Whether `value` is a JSON object, not a list or null. */
export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Return `value` without these fields; the others keep their order. */
export const without = (value: Json, names: ReadonlySet<string>): Json =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
