import type { ClaimContext } from "../../machines/ownership/claim.machine.ts";
import type { LeaseContext } from "../../machines/ownership/lease.machine.ts";
import type { Answer, Database, EffectRecord, Statement } from "./database.ts";
import type { Plain } from "./rules.ts";
import type { BrokenLaw } from "./search.ts";

/** A statement that was sent. */
export interface Sent {
  readonly statement: Statement;
  /** Present once the database has executed it. */
  readonly answer?: Answer;
  /** Whether its worker waits for the answer. False after the connection is cut, the worker killed, or its lease lost. */
  readonly isAwaited: boolean;
}

/** A process that owns the task at times. */
export interface Worker {
  /** `stopped`: the process executes nothing, but the effect that it started runs on. */
  readonly mode: "up" | "stopped" | "down";
  /** Leases that it had before this one. */
  readonly leases: number;
  /** Its times are relative to now. */
  readonly lease: Plain<LeaseContext>;
  readonly claim: Plain<ClaimContext>;
  /** Whether a claim was refused, and the time to try again has not come. */
  readonly isWaiting: boolean;
  /** Whether it was stopped for longer than its lease, and has not noticed it. */
  readonly isLate: boolean;
  /**
   * The lease that the database's clock shortened, as it was set forward, since it was renewed: the number of leases before it.
   */
  readonly shortened?: number;
  /** The effect that runs for it. */
  readonly running?: number;
  /** Records that it must write before it does anything else. */
  readonly backlog: readonly EffectRecord[];
  /** The task's records as it knows them, with its backlog. */
  readonly known: readonly EffectRecord[];
  readonly sent: readonly Sent[];
}

/** Faults of the environment. */
export interface Faults {
  readonly kills: number;
  readonly stops: number;
  /** Connections that are cut between a statement and its answer. */
  readonly cuts: number;
  /** Clocks that are set forward or back by the time of a lease, of the database or of a worker's system. */
  readonly clocks: number;
}

export const NO_FAULTS: Faults = { kills: 0, stops: 0, cuts: 0, clocks: 0 };

/** Workers, the database between them, and what really happened. */
export interface World {
  readonly workers: readonly Worker[];
  readonly database: Database;
  /** Faults that may still happen. */
  readonly faults: Faults;
  /** Number of leading records that a writer knows to be durable. */
  readonly acknowledged: number;
  /** The first thing that a law forbids and that the database does not show. */
  readonly wrong?: BrokenLaw;
}
