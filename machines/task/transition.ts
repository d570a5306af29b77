/** A transition with a guard, a target and actions. */
export const when = <const G extends string, const T extends string, const A extends readonly string[]>(
  guard: G,
  target: T,
  ...actions: A
) => ({ guard, target, actions });
