/** Something that was read, and its place in the file's list. */
export interface Placed<T> {
  readonly index: number;
  readonly value: T;
}

export type Json = Readonly<Record<string, unknown>>;

/** Whether `value` is a JSON object: no list, not null. */
export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `value` without these fields; the others keep their places. */
export const without = (value: Json, names: ReadonlySet<string>): Json =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
