import type { StdinCommandName } from "../../../wire/ndjson/command.ts";

interface Facts {
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

function factsOf(error: unknown): Facts {
  if (typeof error !== "object" || error === null)
    return { name: "", code: "", message: String(error).toLowerCase() };
  const field = (name: "name" | "code" | "message"): string => {
    const value: unknown = name in error ? Reflect.get(error, name) : undefined;
    return typeof value === "string" ? value : "";
  };
  return { name: field("name"), code: field("code"), message: field("message").toLowerCase() };
}

const CANCELLED_CODES = new Set(["ABORT_ERR", "ERR_CANCELED", "ERR_CANCELLED"]);
const CANCELLED_TEXTS = ["aborted", "aborterror", "cancelled", "canceled"];

/** Whether an error means that something was cancelled: by its name, code or message. */
export function isCancellationLikeError(error: unknown): boolean {
  const { name, code, message } = factsOf(error);
  return (
    name === "AbortError" ||
    CANCELLED_CODES.has(code) ||
    CANCELLED_TEXTS.some((text) => message.includes(text))
  );
}

const TASKLESS_TEXTS = [
  "no active task",
  "no task is active",
  "there is no task",
  "task not found",
  "already completed",
];

/** Whether an error means that there is no active task: none, an unknown one, or one that is completed. */
export function isNoActiveTaskLikeError(error: unknown): boolean {
  const { message } = factsOf(error);
  return TASKLESS_TEXTS.some((text) => message.includes(text));
}

const TEARDOWN_CODES = new Set([
  "EPIPE",
  "ECONNRESET",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ERR_STREAM_WRITE_AFTER_END",
]);
const TEARDOWN_TEXTS = [
  "epipe",
  "econnreset",
  "write after end",
  "socket hang up",
  "premature close",
  "stream destroyed",
  "stream was destroyed",
];

/** Whether an error means that the other end of a stream is closed. */
export function isStreamTeardownLikeError(error: unknown): boolean {
  const { code, message } = factsOf(error);
  return TEARDOWN_CODES.has(code) || TEARDOWN_TEXTS.some((text) => message.includes(text));
}

/** The operation that failed: a command of the input, an event of the client, or the runtime itself. */
type ControlOperation = StdinCommandName | "client" | "runtime";

/** The circumstances of an error. */
export interface ControlFlow {
  /** Whether commands are read from a stream. Otherwise no error is expected. */
  readonly stdinStreamMode: boolean;
  /** Whether a shutdown is in progress. Default: whether the operation is `shutdown`. */
  readonly shuttingDown?: boolean;
  readonly operation: ControlOperation;
}

/**
 * Whether an error is expected and no failure: a cancellation during a cancel or a shutdown or of the runtime itself, no
 * active task during a cancel or a shutdown, a closed stream during a shutdown.
 */
export function isExpectedControlFlowError(
  error: unknown,
  { stdinStreamMode, operation, shuttingDown = operation === "shutdown" }: ControlFlow,
): boolean {
  if (!stdinStreamMode) return false;
  const isStopping = shuttingDown || operation === "cancel" || operation === "shutdown";
  if (isCancellationLikeError(error)) return isStopping || operation === "runtime";
  if (isNoActiveTaskLikeError(error)) return isStopping;
  return shuttingDown && isStreamTeardownLikeError(error);
}
