import { SignalboxError } from "signalbox";

/** Reason why a worker or its wakes can't be used. */
export type ClusterErrorCode =
  /** This version of Node is too old for `@signalbox/cluster`. Start it with the version that the message names. */
  | "NODE_TOO_OLD"
  /** An option is invalid. The message names it. */
  | "CLUSTER_OPTION"
  /** The database of the wakes can't be used. The message has the reason. */
  | "WAKES_UNAVAILABLE"
  /** The wakes are closed. Open them again. */
  | "WAKES_CLOSED";

/** A worker that can't start, or wakes that can't be used. */
export class ClusterError extends SignalboxError {
  readonly code: ClusterErrorCode;

  constructor(code: ClusterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ClusterError";
    this.code = code;
  }
}
