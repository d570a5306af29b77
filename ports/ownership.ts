/** What a worker asked of the database, once the database has decided. */
export type Renewal = "renewed" | "expired";

/**
 * The statements that keep a worker's lease, each one transaction. The database's clock decides when a lease ends: a
 * worker whose lease ended, and that another has since declared dead, stays dead.
 */
export interface LeaseStatements {
  /** Register a new worker for the time of a lease. Resolves with its id, which no other worker ever has. */
  register(): Promise<string>;
  /** Renew the lease for its whole time from now, unless the worker was declared dead. */
  renew(worker: string): Promise<Renewal>;
  /** End the lease at once: what the worker owns can be claimed by others. */
  end(worker: string): Promise<void>;
}

/** A worker's lease, as those who own tasks by it see it. */
export interface WorkerLease {
  /** Resolves with the worker's id once it is registered. Rejects if the lease is lost or ended before. */
  readonly worker: Promise<string>;
  /** Aborted when effects must stop: another worker may soon own what this one owns. The reason is a `LeaseError`. */
  readonly lost: AbortSignal;
  /** End the lease. Resolves once the database knows, or can't be told before the lease ends by itself. */
  end(): Promise<void>;
}
