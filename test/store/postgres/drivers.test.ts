import { afterAll, beforeAll, describe } from "vitest";
import type { JournalDriver } from "../../../ports/journal.ts";
import type { PostgresStore } from "../../../store/postgres/store.ts";
import type { DriverUnderTest } from "../../../testing/index.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { driverConformance } from "../../testing/conformance.ts";
import { PostgresRig } from "./rig.ts";

let rig: PostgresRig;
let shared: PostgresStore;
let replaced: PostgresStore;

function opened(open: (task: string) => JournalDriver): DriverUnderTest {
  return {
    make: async (content) => {
      const task = rig.newTask();
      if (content !== undefined) await rig.fill(task, content);
      return open(task);
    },
    another: async (driver) => open(rig.taskOf(driver)),
    backup: (_driver, location) => rig.backup(location),
  };
}

describe.skipIf(!hasPostgres)("journals in PostgreSQL", () => {
  beforeAll(async () => {
    rig = await PostgresRig.start();
    shared = await rig.store();
    replaced = await rig.store({ maxUses: 1 });
  });
  afterAll(() => rig.remove());

  driverConformance(
    "the PostgreSQL journal of one worker",
    opened((task) => shared.journal(task)),
  );
  driverConformance("the PostgreSQL journal of several workers", {
    ...opened((task) => rig.journalOfNewWorker(task)),
    expire: (driver) => rig.expire(rig.taskOf(driver)),
  });
  driverConformance(
    "the PostgreSQL journal with another session for each transaction, as by a pooler,",
    opened((task) => replaced.journal(task)),
  );
});
