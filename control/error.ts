import { SignalboxError } from "../machines/signalbox-error.ts";

export type ControlErrorCode =
  /** A protocol has a form that is not valid. Correct it as the message says. */
  | "PROTOCOL_INVALID"
  /** A judge returned no verdict that its point takes. Correct the judge as the message says. */
  | "VERDICT_INVALID"
  /** A controller lacks a function that its protocol needs, or a task another protocol. Pass what the message names. */
  | "CONTROLLER_INVALID"
  /** Runs or measured scores are missing or out of range. Pass what the message names. */
  | "MEASUREMENT_INVALID"
  /** A protocol decides differently within one class of scores. Name the cut as the message says. */
  | "CUT_MISSING"
  /** The process of a protocol exceeds a limit. Shorten the run, or use fewer classes or samples. */
  | "PROCESS_LIMIT";

/** Error of a control protocol, its measurement or its worst case. */
export class ControlError extends SignalboxError {
  override readonly name = "ControlError";
  readonly code: ControlErrorCode;

  constructor(code: ControlErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
