import { STATUS_CODES } from "node:http";
import { HostError } from "../runtime/task/errors.ts";
import { JournalError } from "../store/journal/error.ts";
import { TaskHistoryError } from "../store/task-history/error.ts";
import { ToolError } from "../tools/error.ts";
import type { Problem } from "../wire/http/api.ts";
import { RejectedError, ServerError } from "./error.ts";

/** The HTTP status of each error code. All others are conflicts. */
const STATUS: Readonly<Partial<Record<Expected["code"], number>>> = {
  BODY_INVALID: 400,
  PARAMETER_INVALID: 400,
  POSITION_INVALID: 400,
  OPTION_INVALID: 400,
  ID_INVALID: 400,
  NAME_INVALID: 400,
  FORK_INVALID: 400,
  NOT_FOUND: 400,
  NOT_A_FOLDER: 400,
  UNAUTHORIZED: 401,
  TOKEN_WRONG: 401,
  HOST_REFUSED: 403,
  ORIGIN_REFUSED: 403,
  ROUTE_UNKNOWN: 404,
  TASK_UNKNOWN: 404,
  MOMENT_UNKNOWN: 404,
  RUN_UNKNOWN: 404,
  VERIFICATION_UNKNOWN: 404,
  METHOD_UNKNOWN: 405,
  BODY_TOO_LARGE: 413,
  BODY_TYPE: 415,
  INTERNAL: 500,
  HISTORY_IO: 500,
  JOURNAL_IO: 500,
  JOURNAL_FULL: 500,
  JOURNAL_DENIED: 500,
  JOURNAL_HANDLES: 500,
  STREAMS_FULL: 503,
  WORKER_MISSING: 503,
  WORKER_LOST: 503,
  COMMAND_WAITS: 503,
  SERVER_CLOSED: 503,
  HOST_CLOSED: 503,
};
const CONFLICT = 409;

/** An error with its code, in the form of RFC 9457. */
export function problemOf(error: unknown): Problem {
  const { code, message: detail } = isExpected(error) ? error : INTERNAL;
  const status = STATUS[code] ?? CONFLICT;
  return { type: `urn:signalbox:${code}`, title: STATUS_CODES[status] ?? "Error", status, detail, code };
}

const INTERNAL = {
  code: "INTERNAL",
  message: "The server failed to do this. The reason was reported to its operator.",
};

type Expected = HostError | TaskHistoryError | JournalError | ServerError | ToolError | RejectedError;

/** Whether its message is for clients. Any other error is reported to the operator. */
const isExpected = (error: unknown): error is Expected =>
  error instanceof HostError ||
  error instanceof TaskHistoryError ||
  error instanceof JournalError ||
  error instanceof ToolError ||
  error instanceof RejectedError ||
  error instanceof ServerError;
