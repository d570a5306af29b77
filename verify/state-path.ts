import type { StateValue } from "xstate";

/** A state value of the task machine, which has no parallel states, as a dotted path. */
export function pathOf(value: StateValue): string {
  if (typeof value === "string") return value;
  const [key, inner] = Object.entries(value)[0] ?? [];
  return inner === undefined ? String(key) : `${key}.${pathOf(inner)}`;
}
