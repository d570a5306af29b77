import { useEffect, useState } from "react";
import type { SearchHit } from "../../../../wire/http/search.ts";
import type { TextSearch } from "../../model/task-query.ts";
import type { PageSource } from "../../source.ts";

/** How long a query must not change before it is searched, in ms. */
const SETTLE_MS = 250;

/** The first hit of each task, by the key of the search. */
export type SearchHits = ReadonlyMap<string, ReadonlyMap<string, SearchHit>>;

interface Found {
  readonly hits: SearchHits;
  readonly isSearching: boolean;
}

const NOTHING: Found = { hits: new Map(), isSearching: false };

/** The hits of the searches in the texts of all tasks, as they are found. */
export function useSearches(
  searches: readonly TextSearch[],
  search: PageSource["search"],
  onError: (error: unknown) => void,
): Found {
  const [found, setFound] = useState(NOTHING);
  const wanted = JSON.stringify(searches);
  useEffect(() => {
    const terms: readonly TextSearch[] = JSON.parse(wanted);
    setFound({ hits: new Map(), isSearching: terms.length > 0 });
    if (terms.length === 0 || search === undefined) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const all = terms.map((term) => searchOne(term, search, stop.signal, setFound));
      Promise.all(all)
        .catch((error: unknown) => stop.signal.aborted || onError(error))
        .finally(() => stop.signal.aborted || setFound(({ hits }) => ({ hits, isSearching: false })));
    }, SETTLE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [wanted, search, onError]);
  return found;
}

async function searchOne(
  { key, ...term }: TextSearch,
  search: NonNullable<PageSource["search"]>,
  signal: AbortSignal,
  update: (change: (before: Found) => Found) => void,
): Promise<void> {
  for await (const batch of search(term, signal))
    update(({ hits, isSearching }) => {
      const ofTerm = new Map(hits.get(key));
      for (const hit of batch) if (!ofTerm.has(hit.taskId)) ofTerm.set(hit.taskId, hit);
      return { hits: new Map([...hits, [key, ofTerm]]), isSearching };
    });
}
