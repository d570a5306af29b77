/** Throws an error outside of the current call: the process or the page reports it as uncaught. */
export const throwUncaught = (error: unknown): void =>
  queueMicrotask(() => {
    throw error;
  });
