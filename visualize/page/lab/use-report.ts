import { useEffect, useState } from "react";
import { errorText } from "../model/format.ts";
import type { PageLocation } from "../model/location.ts";
import type { PageSource } from "../source.ts";

/** A view of the lab: a report that the source may have. */
export interface ReportState<Report> {
  /** Whether the source has a report that is loaded. */
  readonly exists: boolean;
  /** The report, while the page shows it. */
  readonly shown: Report | undefined;
  /** Show or hide it. */
  toggle(): void;
}

export interface ReportOptions<Report> {
  /** The view in the page's location. */
  readonly name: NonNullable<PageLocation["view"]>;
  /** Load the report of a source. Undefined: it has none. The function does not change. */
  readonly load: (source: PageSource) => Promise<Report | undefined> | undefined;
  readonly onError: (message: string) => void;
}

/** Load a report of a source, and show it where the page's location says so. */
export function useReport<Report>(
  source: PageSource,
  [{ view }, go]: readonly [PageLocation, (changes: PageLocation) => void],
  { name, load, onError }: ReportOptions<Report>,
): ReportState<Report> {
  const [report, setReport] = useState<Report>();
  useEffect(() => {
    let isCurrent = true;
    setReport(undefined);
    load(source)
      ?.then((found) => isCurrent && setReport(found))
      .catch((error: unknown) => isCurrent && onError(errorText(error)));
    return () => {
      isCurrent = false;
    };
  }, [source, load, onError]);
  const isOpen = view === name;
  return {
    exists: report !== undefined,
    shown: isOpen ? report : undefined,
    toggle: () => go({ view: isOpen ? undefined : name }),
  };
}
