import stripJsonComments from "strip-json-comments";

/** The name of a JSON file: there, `//` never is a part of a value without quotes. */
const JSON_FILE = /\.jsonc?$/i;

/**
 * A JSON text without its comments: spaces are in their places. Undefined for one without comments, and for YAML, where `//`
 * may be a part of a value.
 */
export function withoutJsonComments(text: string, file: string): string | undefined {
  if (!/^\s*(?:[{[]|\/[/*])/.test(text)) return undefined;
  const plain = stripJsonComments(text);
  if (plain === text) return undefined;
  return JSON_FILE.test(file) || isJson(stripJsonComments(text, { trailingCommas: true }))
    ? plain
    : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
