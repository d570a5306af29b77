import type { AnswerRefusal } from "../../actors/index.ts";
import type { HostErrorCode } from "../../runtime/index.ts";
import type { Refusal } from "./messages.ts";

/** Why the agent did not do what a message asked for. */
export type RefusalCode =
  | AnswerRefusal
  | HostErrorCode
  | "NO_OPEN_ASK"
  | "NO_TASK"
  | "TASK_NOT_SHOWN"
  | "ASK_UNNAMED"
  | "OBJECT_RESPONSE"
  | "QUEUE_FULL"
  | "QUEUED_UNKNOWN"
  | "INVALID_MESSAGE"
  | "NOT_OFFERED"
  | "FAILED";

/** What a client can't do, or was refused. The table in docs/errors.md says what each means. */
export type ClientErrorCode = RefusalCode | "SEND_FAILED" | "REFUSED";

/**
 * An answer that was not sent, a message that can't be read or sent, or a refusal by the agent. The message says what
 * was expected, what came and what to do.
 */
export class ClientError extends Error {
  readonly code: ClientErrorCode;
  /** What the agent said, where it is its refusal. */
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

/** A refusal as an error: with its code, or `REFUSED` where a foreign agent gives one that is not ours. */
export function refusalError(refusal: Refusal): ClientError {
  return new ClientError(isRefusalCode(refusal.code) ? refusal.code : "REFUSED", refusal.message, {
    refusal,
  });
}

const isRefusalCode = (code: string): code is RefusalCode => Object.hasOwn(REFUSALS, code);

const REFUSALS: Readonly<Record<RefusalCode, true>> = {
  ASK_UNKNOWN: true,
  ANSWER_REFUSED: true,
  ASK_ALREADY_ANSWERED: true,
  ASK_CLOSED: true,
  OPTION_INVALID: true,
  TASK_EXISTS: true,
  TASK_UNKNOWN: true,
  TASK_DAMAGED: true,
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
