import { SandboxError } from "../../adapters/sandbox/error.ts";
import { findBubblewrap } from "../../adapters/sandbox/find-bubblewrap.ts";

/** The reason why no command can run in a sandbox here; undefined where one can. */
const missing = await findBubblewrap().then(
  () => undefined,
  (error: unknown) => {
    if (error instanceof SandboxError) return error.message;
    throw error;
  },
);

/** Whether commands can run in a sandbox here. Otherwise the tests that need one say that they are skipped. */
export const hasSandbox = missing === undefined;
if (!hasSandbox) console.warn(`The tests of the sandbox are skipped. ${missing}`);
