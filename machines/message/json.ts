/** The JSON value of `text`, or `undefined` (which no JSON text means) where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
