import type { JournalDriver } from "../ports/journal.ts";
import type { JournalError } from "../store/journal/error.ts";

/**
 * Create a driver with injected faults: `fault` is called before each write with its number, from 1, and the error it
 * returns is thrown instead. For simulations and for tests with a full disk.
 */
export function failingJournal(
  driver: JournalDriver,
  fault: (write: number) => JournalError | undefined,
): JournalDriver {
  let writes = 0;
  return {
    path: driver.path,
    own: () => driver.own(),
    async append(lines, options) {
      writes += 1;
      const error = fault(writes);
      if (error !== undefined) throw error;
      await driver.append(lines, options);
    },
    read: () => driver.read(),
    truncate: (length) => driver.truncate(length),
    hasDeleted: async (subtaskId) => (await driver.hasDeleted?.(subtaskId)) ?? false,
    release: () => driver.release(),
    close: () => driver.close(),
  };
}
