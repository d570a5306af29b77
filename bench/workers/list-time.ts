import { openPostgres } from "../../store/postgres/store.ts";
import { quantile } from "../harness/numbers.ts";

export const PAGE = 50;
export const LISTS = 100;

/** Times of a page of the list, in ms. */
export interface ListTime {
  readonly p50: number;
  readonly p99: number;
}

/** Measure lists of the newest tasks, one after the other, after a first one. */
export async function listTime(url: string): Promise<ListTime> {
  const store = await openPostgres({ url });
  try {
    const times: number[] = [];
    await store.history.list({ limit: PAGE });
    for (let n = 0; n < LISTS; n += 1) {
      const began = performance.now();
      await store.history.list({ limit: PAGE });
      times.push(performance.now() - began);
    }
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
  } finally {
    await store.close();
  }
}
