/** Maximum characters of an invalid value in an error. */
const EXCERPT_CHARACTERS = 80;

/** Format a value as JSON, shortened for an error. */
export function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > EXCERPT_CHARACTERS ? `${text.slice(0, EXCERPT_CHARACTERS)}…` : text;
}
