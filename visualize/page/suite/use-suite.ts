import { useEffect, useState } from "react";
import type { SuiteReport } from "../../../wire/http/suite.ts";
import { errorText } from "../model/format.ts";
import type { PageLocation } from "../model/location.ts";
import type { PageSource } from "../source.ts";

/** The view of the measured control suite. */
export interface SuiteState {
  /** Whether the source has a suite that is loaded. */
  readonly exists: boolean;
  /** The suite, while the page shows it. */
  readonly shown: SuiteReport | undefined;
  /** Show or hide it. */
  toggle(): void;
}

/** Load the suite of a source, and show it where the page's location says so. */
export function useSuite(
  source: PageSource,
  [{ view }, go]: readonly [PageLocation, (changes: PageLocation) => void],
  onError: (message: string) => void,
): SuiteState {
  const [suite, setSuite] = useState<SuiteReport>();
  useEffect(() => {
    let isCurrent = true;
    setSuite(undefined);
    source
      .suite?.()
      .then((found) => isCurrent && setSuite(found))
      .catch((error: unknown) => isCurrent && onError(errorText(error)));
    return () => {
      isCurrent = false;
    };
  }, [source, onError]);
  const isOpen = view === "suite";
  return {
    exists: suite !== undefined,
    shown: isOpen ? suite : undefined,
    toggle: () => go({ view: isOpen ? undefined : "suite" }),
  };
}
