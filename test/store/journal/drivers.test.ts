import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { JournalDriver } from "../../../ports/journal.ts";
import { fileJournal } from "../../../store/journal/file.ts";
import { MemoryStore, memoryJournal } from "../../../store/journal/memory.ts";
import {
  crashingJournal,
  type DriverUnderTest,
  failingJournal,
  losingJournal,
} from "../../../testing/index.ts";
import { driverConformance } from "../../testing/conformance.ts";

let root = "";
let folders = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "journal-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

function inFolder(open: (dir: string) => JournalDriver): DriverUnderTest {
  return {
    make: async (content) => {
      const driver = open(join(root, `task-${++folders}`));
      if (content === undefined) return driver;
      await mkdir(dirname(driver.path));
      await writeFile(driver.path, content);
      return driver;
    },
    another: async (driver) => open(dirname(driver.path)),
    backup: (_driver, path) => readFile(path),
  };
}

function inStore(open: (store: MemoryStore) => JournalDriver): DriverUnderTest {
  const stores = new WeakMap<JournalDriver, MemoryStore>();
  const over = (store: MemoryStore): JournalDriver => {
    const driver = open(store);
    stores.set(driver, store);
    return driver;
  };
  const storeOf = (driver: JournalDriver): MemoryStore => stores.get(driver) ?? new MemoryStore();
  return {
    make: async (content) => over(new MemoryStore(content)),
    another: async (driver) => over(storeOf(driver)),
    backup: async (driver, path) => storeOf(driver).backup(path) ?? new Uint8Array(),
  };
}

const never = { record: Number.POSITIVE_INFINITY, byte: 0 };

driverConformance(
  "the file journal",
  inFolder((dir) => fileJournal({ dir })),
);
driverConformance(
  "the memory journal",
  inStore((store) => memoryJournal({ store })),
);
driverConformance(
  "failingJournal without faults",
  inStore((store) => failingJournal(memoryJournal({ store }), () => undefined)),
);
driverConformance(
  "crashingJournal before its crash",
  inFolder((dir) => crashingJournal({ dir, at: never })),
);
driverConformance(
  "losingJournal before its crash",
  inStore((store) => losingJournal({ store })),
);
driverConformance(
  "losingJournal with slow syncs",
  inStore((store) => losingJournal({ store, sync: setImmediate })),
);
