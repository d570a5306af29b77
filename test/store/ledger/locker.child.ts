import { systemClock } from "../../../actors/index.ts";
import { withLock } from "../../../store/ledger/lock.ts";

// Holds the lock until the process ends.
await withLock(process.argv[2] ?? "", { clock: systemClock }, () => {
  process.send?.("locked");
  return new Promise<never>(() => {});
});
