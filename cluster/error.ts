import { SignalboxError } from "signalbox";

/** Reason of an error of a worker or its wakes. */
export type ClusterErrorCode =
  /** This version of Node is too old for `@signalbox/cluster`. Start it with the version that the message names. */
  | "NODE_TOO_OLD"
  /** An option is invalid. The message names it. */
  | "CLUSTER_OPTION"
  /** The database of the wakes can't be used. The message has the reason. */
  | "WAKES_UNAVAILABLE"
  /** The wakes and the store belong to two clusters. Nothing was changed. Use the wakes of the store, as the message says. */
  | "CLUSTER_MISMATCH"
  /** The wakes are closed. Open them again. */
  | "WAKES_CLOSED"
  /** A task did not accept a command of its inbox. The message has the reason; correct the command and send another one. */
  | "COMMAND_REFUSED";

/** A worker that can't start, wakes that can't be used, or a command that was refused. */
export class ClusterError extends SignalboxError {
  readonly code: ClusterErrorCode;

  constructor(code: ClusterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ClusterError";
    this.code = code;
  }
}
