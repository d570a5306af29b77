import { describe, expect, test } from "vitest";
import { timedIndex } from "../../../actors/tool/timed-index.ts";
import { stillClock } from "../../support/still-clock.ts";

const never = new Promise<never>(() => {});

describe("a search in an index", () => {
  test("fails when it takes longer than its limit, and its signal aborts", async () => {
    const clock = stillClock();
    const signals: AbortSignal[] = [];
    const search = ({ signal }: { readonly signal: AbortSignal }) => {
      signals.push(signal);
      return never;
    };
    const { signal } = new AbortController();
    const standard = timedIndex(clock, { search }).search({ query: "x", limit: 1, signal });
    const short = timedIndex(clock, { search, timeoutMs: 10 }).search({ query: "x", limit: 1, signal });
    clock.advance(10);
    await expect(short).rejects.toMatchObject({
      code: "FAILED",
      message: "The index did not answer: no answer within 10 ms. Use search_files instead, or try again.",
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    clock.advance(29_990);
    await expect(standard).rejects.toThrow("no answer within 30000 ms");
    expect(clock.pending).toBe(0);
  });

  test("ends when its call is stopped, before or while it runs", async () => {
    const clock = stillClock();
    const stop = new AbortController();
    const index = timedIndex(clock, { search: () => never });
    const search = index.search({ query: "x", limit: 1, signal: stop.signal });
    stop.abort();
    await expect(search).rejects.toThrow("The index did not answer: it was stopped");
    await expect(index.search({ query: "x", limit: 1, signal: stop.signal })).rejects.toThrow(
      "it was stopped",
    );
    expect(clock.pending).toBe(0);
  });

  test("has the limit and the query of the call", async () => {
    const asked: unknown[] = [];
    const index = timedIndex(stillClock(), {
      search: async ({ signal: _, ...query }) => {
        asked.push(query);
        return [];
      },
    });
    expect(
      await index.search({ query: "x", path: "src", limit: 3, signal: new AbortController().signal }),
    ).toEqual([]);
    expect(asked).toEqual([{ query: "x", path: "src", limit: 3 }]);
  });
});
