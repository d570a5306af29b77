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

/** A lease that a worker has. */
export interface HeldLease {
  /** The worker's id in the database. */
  readonly worker: string;
  /** Whether effects may start now. False once the deadline has passed, also before `lost` is aborted. */
  holds(): boolean;
  /** Aborted when effects must stop: another worker may soon own what this one owns. */
  readonly lost: AbortSignal;
}

/** The leases of a process, one after the other. */
export interface Leases {
  /** The lease of now. The first call registers a worker, and so does the first one after a lease was lost. */
  held(): Promise<HeldLease>;
  /** End the lease. Later calls of `held` reject. */
  end(): Promise<void>;
}
