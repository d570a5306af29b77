import { SignalboxError } from "../machines/signalbox-error.ts";

/** An operation that a task refused, with the code of its result. */
export class RefusalError extends SignalboxError {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "RefusalError";
    this.code = code;
  }
}

/** The reason in the result of an operation; undefined if the operation was applied. */
export function refusalIn(result: object): RefusalError | undefined {
  const { code, message = "" }: { readonly code?: string; readonly message?: string } = result;
  return code === undefined ? undefined : new RefusalError(code, message);
}

/** Check that an operation was applied. @throws RefusalError */
export function assertApplied(result: object): void {
  const refusal = refusalIn(result);
  if (refusal !== undefined) throw refusal;
}
