/** A promise with the functions that settle it. */
export interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/** Create a promise that is settled from outside. */
export function deferred(): Deferred {
  let resolve = (): void => {};
  let reject = (_: unknown): void => {};
  const promise = new Promise<void>((fulfil, fail) => {
    resolve = fulfil;
    reject = fail;
  });
  return { promise, resolve, reject };
}
