import type { Clock } from "../../ports/clock.ts";

/** @throws Error if there is no answer in time. What comes later is ignored. */
export async function within<T>(clock: Clock, timeoutMs: number, answer: Promise<T>): Promise<T> {
  let cancel = (): void => {};
  const timeout = new Promise<never>((_, reject) => {
    cancel = clock.after(timeoutMs, () => reject(new Error(`no answer within ${timeoutMs} ms`)));
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    cancel();
  }
}
