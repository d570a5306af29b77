import { SignalboxError } from "../../machines/signalbox-error.ts";

/** Reason why an object cannot be stored or read. */
export type ObjectErrorCode =
  /** The text is not the name of an object. Choose another name. */
  | "OBJECT_NAME"
  /** The task has no such object. Check the name and the data folder. */
  | "OBJECT_MISSING"
  /** This process does not own the task. Open the task here, or wait until its owner has closed it. */
  | "OBJECT_LOCKED"
  /** The object was replaced or deleted while it was read. Read it again. */
  | "OBJECT_CHANGED"
  /** The storage failed. Check it, then try again. */
  | "OBJECT_IO";

/** Failure to store or read the object at `path`. */
export class ObjectError extends SignalboxError {
  readonly code: ObjectErrorCode;
  readonly path: string;

  constructor(code: ObjectErrorCode, path: string, message: string, options?: ErrorOptions) {
    super(`Object ${path}: ${message}`, options);
    this.name = "ObjectError";
    this.code = code;
    this.path = path;
  }
}

export const missingError = (path: string): ObjectError =>
  new ObjectError(
    "OBJECT_MISSING",
    path,
    "Expected an object, found none. Check the name and the data folder.",
  );

export const notOwnedError = (path: string): ObjectError =>
  new ObjectError(
    "OBJECT_LOCKED",
    path,
    "Expected this process to own the task, but it does not, or no longer. Open the task here, then try again.",
  );

/** Convert an error of the storage; an object error stays as it is. */
export function toObjectError(path: string, error: unknown): ObjectError {
  if (error instanceof ObjectError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ObjectError("OBJECT_IO", path, `Its storage failed. Check it, then try again. (${detail})`, {
    cause: error,
  });
}
