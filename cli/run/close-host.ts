import type { Host } from "../../runtime/index.ts";
import { sayCliError, wordsOf } from "../error.ts";
import type { Io } from "../io.ts";

/** Closes what is open, and says what could not be written; false then. */
export async function closeHost(host: Host, io: Io): Promise<boolean> {
  try {
    await host.closeAll();
    return true;
  } catch (error) {
    io.stderr.write(sayCliError(`the task's journal could not be written to its end: ${wordsOf(error)}`));
    return false;
  }
}
