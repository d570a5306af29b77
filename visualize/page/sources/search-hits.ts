import { parseJson } from "../../../machines/message/json.ts";
import { type SearchHit, searchHitSchema } from "../../../wire/http/search.ts";
import { SourceError } from "./source-error.ts";

/** The hits of a search, in the batches in which the server sends them. @throws SourceError `SOURCE_REFUSED` */
export async function* searchHits(url: string, signal: AbortSignal): AsyncGenerator<readonly SearchHit[]> {
  const response = await fetch(url, { credentials: "same-origin", signal });
  if (!response.ok || response.body === null)
    throw new SourceError("SOURCE_REFUSED", `The server rejected the search: ${response.status}.`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    const lines = `${rest}${chunk.value}`.split("\n");
    rest = lines.pop() ?? "";
    const hits = lines.flatMap((line) => {
      const parsed = searchHitSchema.safeParse(parseJson(line));
      return parsed.success ? [parsed.data] : [];
    });
    if (hits.length > 0) yield hits;
  }
}
