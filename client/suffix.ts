/**
 * What `after` has behind `before`; undefined where it doesn't begin with it. Linear in the length of `before`: slices are
 * compared, which the engine does many times as fast as it does `startsWith`.
 *
 * @example
 * ```ts
 * import { suffixOf } from "signalbox/client";
 * console.log(suffixOf("Hel", "Hello"), suffixOf("Hullo", "Hello")); // lo undefined
 * ```
 */
export const suffixOf = (before: string, after: string): string | undefined =>
  after.length >= before.length && after.slice(0, before.length) === before
    ? after.slice(before.length)
    : undefined;
