/** The decision of the database about a renewal. */
export type Renewal = "renewed" | "expired";

/**
 * The statements that keep a worker's lease, each one transaction. The database's clock decides when a lease ends, and a
 * worker that was declared dead stays dead.
 */
export interface LeaseStatements {
  /** Register a new worker for the time of a lease. Resolves with its id, which no other worker ever has. */
  register(): Promise<string>;
  /** Renew the lease for its whole time from now, unless the worker was declared dead. */
  renew(worker: string): Promise<Renewal>;
  /** End the lease at once: others can claim what the worker owns. */
  end(worker: string): Promise<void>;
}

/** The lease of a registered worker. */
export interface HeldLease {
  /** The worker's id in the database. */
  readonly worker: string;
  /** Whether effects may start now. Aborts `lost` if the deadline has passed. */
  holds(): boolean;
  /** Aborted when effects must stop, because another worker may soon own what this one owns. */
  readonly lost: AbortSignal;
}

/** The leases of a process, one after the other. */
export interface Leases {
  /**
   * The current lease. The first call registers a worker, and so does the first one after a lease was lost. Undefined after
   * `end`. Rejects if the registration fails; the next call tries again.
   */
  held(): Promise<HeldLease | undefined>;
  /** End the lease. */
  end(): Promise<void>;
}
