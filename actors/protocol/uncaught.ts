/** Throw an error outside of the current call, so that the process or the page reports it as uncaught. */
export const throwUncaught = (error: unknown): void =>
  queueMicrotask(() => {
    throw error;
  });
