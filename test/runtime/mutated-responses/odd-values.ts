import type { Random } from "../../../verify/simulation/random.ts";

/** Marks a string whose text replaces it in the JSON, quotes included. */
const RAW = "@raw ";

const deep = (depth: number, open: string, close: string): string =>
  `${open.repeat(depth)}0${close.repeat(depth)}`;

/** Values that a field should not have. */
const VALUES: readonly (() => unknown)[] = [
  () => null,
  () => true,
  () => 0,
  () => -1,
  () => 1.5,
  () => 1e308,
  () => Number.MAX_SAFE_INTEGER + 2,
  // Infinity, once parsed.
  () => `${RAW}1e999`,
  () => `${RAW}NaN`,
  () => "NaN",
  () => "",
  () => " \n\t\u2028",
  () => "\ud800",
  () => "a\udc00b",
  () => "\u0000\u0007\u001b[31m",
  () => "toolu 01/é",
  () => "__proto__",
  () => "x".repeat(3_000),
  () => "👋".repeat(700),
  () => [],
  () => ["tool_use"],
  () => ({}),
  () => ({ type: "text", text: "inner" }),
  () => `${RAW}{"__proto__":{"type":"text"},"constructor":1}`,
  () => `${RAW}${deep(40, "[", "]")}`,
];

/** Values that cost much to parse. */
const HUGE: readonly ((random: Random) => unknown)[] = [
  () => "y".repeat(100_000),
  (random) => `${RAW}${deep(depth(random), "[", "]")}`,
  (random) => `${RAW}${deep(depth(random), '{"a":', "}")}`,
];

/** A depth about that at which a recursive function fails. */
const depth = (random: Random): number => 500 + random.below(9_000);

/** A value of another type or another size than any field has. */
export function oddValue(random: Random): unknown {
  return random.chance(0.03) ? random.pick(HUGE)?.(random) : random.pick(VALUES)?.();
}

/** The JSON of a value, with raw parts. */
export function rawJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes(RAW)) return json;
  return json.replaceAll(/"@raw ((?:[^"\\]|\\.)*)"/g, (_, raw: string) => JSON.parse(`"${raw}"`));
}
