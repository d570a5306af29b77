/** The result of work that may ignore the signal. @throws the reason of the abort, at once */
export function unlessAborted<T>(signal: AbortSignal, start: () => PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    Promise.resolve(start())
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}
