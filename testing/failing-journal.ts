import type { JournalDriver } from "../store/journal/driver.ts";
import type { JournalError } from "../store/journal/error.ts";

/**
 * A driver that fails on purpose: `fault` is asked before each write, counted from 1, and what it gives is
 * thrown in its place. For simulations and for tests of what a full disk does.
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
    cut: (length) => driver.cut(length),
    rest: () => driver.rest(),
    close: () => driver.close(),
  };
}
