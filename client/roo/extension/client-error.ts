import type { AnswerRefusal } from "../../../actors/ask/open-asks.ts";
import { SignalboxError } from "../../../machines/signalbox-error.ts";
import type { HostErrorCode } from "../../../runtime/task/errors.ts";
import type { Refusal } from "./messages.ts";

/** The reason why the agent did not do what a message asked for. */
export type RefusalCode =
  | AnswerRefusal
  | HostErrorCode
  /** No ask that takes this answer is shown. Wait for `waitingForInput`, or queue the message. */
  | "NO_OPEN_ASK"
  /** No task is shown. Send `newTask`, or show a task. */
  | "NO_TASK"
  /** The message is for a task that is no longer shown. Look at the shown task and send it again. */
  | "TASK_NOT_SHOWN"
  /** The answer names no ask, and the agent requires one (L7). Send the `askId`. */
  | "ASK_UNNAMED"
  /** An `objectResponse` is not a JSON object from keys of files to booleans. Send one, or yes, no, or text. */
  | "OBJECT_RESPONSE"
  /** The queue has reached the limit `queued`. Remove a message, or wait. */
  | "QUEUE_FULL"
  /** No queued message has this id. It may have been sent already. */
  | "QUEUED_UNKNOWN"
  /** A message of a known type has invalid fields and was ignored. Correct its sender. */
  | "INVALID_MESSAGE"
  /** The agent does not support this message. Give its bridge the option. */
  | "NOT_OFFERED"
  /** An operation threw an error without a known code. Read the message. */
  | "FAILED";

/** Reason why a client cannot send or read a message. */
export type ClientErrorCode =
  | RefusalCode
  /** The transport did not take the message; see `cause`. Repair the transport, then send again. */
  | "SEND_FAILED"
  /** A foreign agent rejected the message with its own code, `refusal.code`. Follow `refusal.message`. */
  | "REFUSED";

/** An answer that was not sent, a message that can't be read or sent, or a refusal by the agent. */
export class ClientError extends SignalboxError {
  readonly code: ClientErrorCode;
  /** The refusal of the agent, if it is one. */
  readonly refusal: Refusal | undefined;

  constructor(code: ClientErrorCode, message: string, { cause, refusal }: ClientErrorParts = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ClientError";
    this.code = code;
    this.refusal = refusal;
  }
}

interface ClientErrorParts {
  readonly cause?: unknown;
  readonly refusal?: Refusal;
}

/** The error of a refusal, with its code, or `REFUSED` for a code of a foreign agent. */
export function refusalError(refusal: Refusal): ClientError {
  return new ClientError(isRefusalCode(refusal.code) ? refusal.code : "REFUSED", refusal.message, {
    refusal,
  });
}

export const isRefusalCode = (code: string): code is RefusalCode => Object.hasOwn(REFUSALS, code);

const REFUSALS: Readonly<Record<RefusalCode, true>> = {
  ASK_UNKNOWN: true,
  ANSWER_REFUSED: true,
  ASK_ALREADY_ANSWERED: true,
  ASK_CLOSED: true,
  OPTION_INVALID: true,
  TASK_EXISTS: true,
  TASK_UNKNOWN: true,
  TASK_DAMAGED: true,
  TASK_READ_ONLY: true,
  TASK_BUSY: true,
  TASK_CLOSED: true,
  TASK_BROKEN: true,
  HOST_CLOSED: true,
  NO_OPEN_ASK: true,
  NO_TASK: true,
  TASK_NOT_SHOWN: true,
  ASK_UNNAMED: true,
  OBJECT_RESPONSE: true,
  QUEUE_FULL: true,
  QUEUED_UNKNOWN: true,
  INVALID_MESSAGE: true,
  NOT_OFFERED: true,
  FAILED: true,
};
