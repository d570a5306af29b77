/**
 * A value of JSON with well-formed texts: U+FFFD replaces each half of a surrogate pair that stands alone, which an
 * endpoint rejects. For values that enter a task from outside.
 */
export function wellFormedJson(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormedJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormedJson(member)]),
  );
}

/** Whether the text ends with the first half of a surrogate pair: its second half may come with the next text. */
export const endsInsideCharacter = (text: string): boolean => /[\ud800-\udbff]$/.test(text);
