import type { Protocol } from "../protocol.ts";
import type { AuditAction, RunMonitor, WriteTrusted } from "./action.ts";

/** A protocol with the actors that it needs to run. */
export interface Controller {
  readonly protocol: Protocol;
  /** By the names of the protocol's monitors, or `MONITOR/MEMBER` for a member of an ensemble. */
  readonly monitors: Readonly<Record<string, RunMonitor>>;
  /** Writes the actions of the trusted model, for the verdict `replace`. */
  readonly trusted?: WriteTrusted;
  /** Audits in place of a person. Default: a person is asked about the call, and "no" ends the run. */
  readonly auditor?: AuditAction;
  /** Seed of the drawn numbers. Default 0. */
  readonly seed?: number;
  /** Time in which a decision must be made, in milliseconds. Default 60,000. Without one in time each score is 1. */
  readonly timeoutMs?: number;
}
