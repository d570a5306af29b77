/** Maximum depth of a value. Deeper ones overflow the stack of what processes them. */
const DEPTH_MAX = 256;

/**
 * A value of JSON with well-formed texts: U+FFFD replaces each half of a surrogate pair that stands alone, which an
 * endpoint rejects. For values that enter a task from outside.
 *
 * @throws SyntaxError for what a journal cannot keep: a number beyond the range of numbers, a field `__proto__`, more
 * than 256 levels of lists and objects
 */
export function wellFormedJson(value: unknown): unknown {
  return wellFormed(value, 0);
}

function wellFormed(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number" && !Number.isFinite(value)) throw new SyntaxError("a number is out of range");
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEPTH_MAX) throw new SyntaxError(`it is nested more than ${DEPTH_MAX} levels deep`);
  if (Array.isArray(value)) return value.map((member) => wellFormed(member, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [fieldName(name), wellFormed(member, depth + 1)]),
  );
}

function fieldName(name: string): string {
  if (name === "__proto__") throw new SyntaxError("a field is named __proto__");
  return name.toWellFormed();
}

/** Whether the text ends with the first half of a surrogate pair: its second half may come with the next text. */
export const endsInsideCharacter = (text: string): boolean => /[\ud800-\udbff]$/.test(text);
