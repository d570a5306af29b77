/**
 * Start an agent that asks by a callback, and wait until it asks. The answer never comes.
 *
 * @returns the run, which stays open: it holds the agent
 */
export async function untilAsked(
  start: (ask: () => Promise<never>) => Promise<unknown>,
): Promise<{ readonly run: Promise<unknown> }> {
  let run: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    run = start(() => {
      resolve();
      return new Promise<never>(() => {});
    });
    run.then(() => reject(new Error("The run ended without an approval.")), reject);
  });
  return { run };
}
