import { useState } from "react";
import { errorText } from "../model/format.ts";

/** Send one request at a time. */
export interface Requests {
  readonly isBusy: boolean;
  /** `onDone` is called if it succeeds. */
  readonly run: (action: () => Promise<unknown>, onDone?: () => void) => void;
}

/** `onError` is called with an error message; empty: clear it. */
export function useRequests(onError: (message: string) => void): Requests {
  const [isBusy, setBusy] = useState(false);
  const run = (action: () => Promise<unknown>, onDone?: () => void): void => {
    setBusy(true);
    onError("");
    action()
      .then(onDone)
      .catch((error: unknown) => onError(errorText(error)))
      .finally(() => setBusy(false));
  };
  return { isBusy, run };
}
