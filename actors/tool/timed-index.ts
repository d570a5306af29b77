import type { Clock } from "../../ports/clock.ts";
import type { CodebaseIndex } from "../../ports/codebase-index.ts";
import { messageOf, ToolError } from "../../tools/error.ts";
import { within } from "../protocol/within.ts";

const TIMEOUT_MS = 30_000;

/** Bound the time of each search of an index. One that fails, hangs or is stopped is an error of the call. */
export function timedIndex(clock: Clock, index: CodebaseIndex): CodebaseIndex {
  return {
    search: async ({ signal, ...query }) => {
      const search = new AbortController();
      const stopped = new Promise<never>((_, reject) => {
        const stop = (): void => reject(new Error("it was stopped"));
        if (signal.aborted) stop();
        signal.addEventListener("abort", stop, { signal: search.signal });
      });
      try {
        const found = (async () => index.search({ ...query, signal: search.signal }))();
        return await within(clock, index.timeoutMs ?? TIMEOUT_MS, Promise.race([found, stopped]));
      } catch (error) {
        throw new ToolError(
          "FAILED",
          `The index did not answer: ${messageOf(error)}. Use search_files instead, or try again.`,
          { cause: error },
        );
      } finally {
        search.abort();
      }
    },
  };
}
