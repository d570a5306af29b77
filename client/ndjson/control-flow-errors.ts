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

const TASKLESS_TEXTS = ["no active task", "no task is active", "there is no task"];

/** Whether an error means that there is no active task. */
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

/** The circumstances of an error. */
export interface ControlFlow {
  /** A cancel or a shutdown is in progress. */
  readonly stopping?: boolean;
  /** A shutdown is in progress. */
  readonly shuttingDown?: boolean;
  /** It comes from the runtime itself, not from a command. */
  readonly runtime?: boolean;
}

/**
 * Whether an error is expected and no failure: a cancellation during a cancel or of the runtime itself, no active task
 * during a cancel, a closed stream during a shutdown.
 */
export function isExpectedControlFlowError(
  error: unknown,
  { stopping = false, shuttingDown = false, runtime = false }: ControlFlow = {},
): boolean {
  const isStopping = stopping || shuttingDown;
  if (isCancellationLikeError(error)) return isStopping || runtime;
  if (isNoActiveTaskLikeError(error)) return isStopping;
  return shuttingDown && isStreamTeardownLikeError(error);
}
