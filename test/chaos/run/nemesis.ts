import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "./random.ts";
import { LEASE_MS, type Site } from "./site.ts";

/** A kind of fault. `cause` resolves when it is over. */
export interface Fault {
  readonly name: string;
  readonly cause: (site: Site, random: Random) => Promise<void>;
}

/** Longer than a lease. */
const OUTAGE_MS = LEASE_MS + 3_000;
const MIGRATION_S = 2;

const oneOf = <T>(items: readonly T[], random: Random): T | undefined =>
  items[random.between(0, items.length - 1)];

/** Faults of the processes. */
export const PROCESS_FAULTS: readonly Fault[] = [
  {
    name: "kill -9 of a worker",
    async cause({ workers }, random) {
      oneOf(workers, random)?.signal("SIGKILL");
    },
  },
  {
    name: "SIGSTOP of a worker for longer than its lease",
    async cause({ workers }, random) {
      const worker = oneOf(workers, random);
      worker?.signal("SIGSTOP");
      await pause(OUTAGE_MS);
      worker?.signal("SIGCONT");
    },
  },
  {
    name: "kill -9 of a server",
    async cause({ servers }, random) {
      oneOf(servers, random)?.supervised.signal("SIGKILL");
    },
  },
];

/** Faults of the database and of the connections to it. */
export const DATABASE_FAULTS: readonly Fault[] = [
  {
    name: "kill -9 of PostgreSQL",
    async cause(site, random) {
      await site.killDatabase();
      await pause(random.between(0, 3_000));
      await site.startDatabase();
    },
  },
  {
    name: "connections cut",
    async cause({ proxy }, random) {
      proxy.mode = "cut";
      await pause(random.between(0, 3_000));
      proxy.mode = "open";
    },
  },
  {
    name: "connections slow",
    async cause({ proxy }) {
      proxy.mode = "slow";
      await pause(5_000);
      proxy.mode = "open";
    },
  },
  {
    name: "connections silent for longer than a lease",
    async cause({ proxy }) {
      proxy.mode = "silent";
      await pause(OUTAGE_MS);
      proxy.mode = "open";
    },
  },
  {
    name: "full disk",
    async cause(site) {
      site.disk.fill();
      await pause(4_000);
      await site.disk.empty();
      await site.startDatabase();
    },
  },
  {
    name: "migration that fails or is killed",
    async cause(site, random) {
      await site.failingMigration(random.next() < 0.5 ? MIGRATION_S : MIGRATION_S * 2);
      await site.migrate();
    },
  },
];

/** Causes one fault after another, each kind once in every round. */
export class Nemesis {
  readonly counts = new Map<string, number>();
  readonly #site: Site;
  readonly #faults: readonly Fault[];
  readonly #random: Random;
  readonly #pauseMs: readonly [number, number];

  constructor(site: Site, faults: readonly Fault[], random: Random, pauseMs: readonly [number, number]) {
    this.#site = site;
    this.#faults = faults;
    this.#random = random;
    this.#pauseMs = pauseMs;
  }

  /** Resolves when the fault at this time is over. */
  async causeUntil(end: number): Promise<void> {
    for (;;)
      for (const fault of this.#random.shuffled(this.#faults)) {
        await pause(this.#random.between(...this.#pauseMs));
        if (Date.now() >= end) return;
        await fault.cause(this.#site, this.#random);
        this.counts.set(fault.name, (this.counts.get(fault.name) ?? 0) + 1);
      }
  }
}
