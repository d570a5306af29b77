/**
 * The drivers of this process that own a task, by worker and task. The database knows only the worker, so a task that a
 * worker owns already belongs to the driver that is listed here, or to none after its claim or release was lost.
 */
const holders = new Map<string, object>();

const keyOf = (worker: string, task: string): string => `${worker} ${task}`;

/** Enter a driver, unless another one is listed. */
export function addHolder(worker: string, task: string, driver: object): boolean {
  const key = keyOf(worker, task);
  const holder = holders.get(key) ?? driver;
  holders.set(key, holder);
  return holder === driver;
}

/** Remove a driver, if it is the one that is listed. */
export function removeHolder(worker: string, task: string, driver: object): void {
  const key = keyOf(worker, task);
  if (holders.get(key) === driver) holders.delete(key);
}
