import type { InboxContext } from "../../machines/ownership/inbox.machine.ts";
import type { Plain } from "./rules.ts";

/** A command that was put into the inbox of the one task. */
export interface CommandRow {
  readonly position: number;
  /** The id that its sender chose. */
  readonly id: number;
  readonly isRemoved: boolean;
}

/** A record of the task: the effect of a command, its position, or both. */
export interface CommandRecord {
  readonly effect?: number;
  readonly position?: number;
}

/** The inbox and the journal of the task, and its owner. */
export interface InboxDatabase {
  readonly rows: readonly CommandRow[];
  readonly records: readonly CommandRecord[];
  readonly epoch: number;
  /** The worker that owns the task. */
  readonly owner?: number;
}

/** A statement of a worker. Each is executed as one transaction, or never. */
export type InboxStatement =
  | { readonly type: "claim" }
  | { readonly type: "read"; readonly after: number }
  | {
      readonly type: "append";
      readonly epoch: number;
      /** The end that the writer knows. */
      readonly from: number;
      readonly records: readonly CommandRecord[];
    }
  | { readonly type: "remove"; readonly upTo: number }
  /** Without an epoch after a claim without an answer. */
  | { readonly type: "release"; readonly epoch?: number };

export type InboxAnswer =
  | { readonly type: "claimed"; readonly epoch: number; readonly records: readonly CommandRecord[] }
  | { readonly type: "refused" }
  | { readonly type: "read"; readonly rows: readonly CommandRow[] }
  | { readonly type: "appended" }
  | { readonly type: "fenced" }
  | { readonly type: "removed" }
  | { readonly type: "released" };

/** A process that handles wakes of the task. */
export interface InboxWorker {
  readonly isUp: boolean;
  /** Whether it handles a wake. */
  readonly isWoken: boolean;
  /** The epoch in which it owns the task. */
  readonly epoch?: number;
  /** The delivery of the inbox, while it owns the task. */
  readonly delivery?: Plain<InboxContext>;
  /** Records that are not known to be durable. */
  readonly backlog: readonly CommandRecord[];
  /** Number of records that it knows to be durable. */
  readonly known: number;
  readonly sent?: { readonly statement: InboxStatement; readonly answer?: InboxAnswer };
  /** Whether its connection receives notifications. */
  readonly isListening: boolean;
  /** Whether a notification is on its way to it. */
  readonly isNotified: boolean;
}

/** Faults of the environment that may still happen. */
export interface InboxFaults {
  readonly kills: number;
  /** Leases that end while their worker lives. */
  readonly losses: number;
  /** Answers that are lost, of an executed statement or of one that never is. */
  readonly cuts: number;
  /** Connections that lose their notifications. */
  readonly gaps: number;
  /** Wakes and notifications that come again, and puts that are repeated. */
  readonly duplicates: number;
}

/** The workers, the senders and the database between them. */
export interface InboxWorld {
  readonly workers: readonly InboxWorker[];
  readonly database: InboxDatabase;
  /** Whether a wake waits for a worker. */
  readonly isWakeWaiting: boolean;
  /** The commands that were put, the newest one perhaps without its wake. */
  readonly put: number;
  readonly woken: number;
  readonly faults: InboxFaults;
}
