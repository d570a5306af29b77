import type { SuiteReport } from "../../../wire/http/suite.ts";
import type { Verification } from "../../../wire/http/verification.ts";
import type { PageLocation } from "../model/location.ts";
import type { PageSource } from "../source.ts";
import { useCounts } from "./use-counts.ts";
import { type ReportState, useReport } from "./use-report.ts";

/** The views of the lab. */
export interface Lab {
  /** A measured control suite. */
  readonly suite: ReportState<SuiteReport>;
  readonly verification: ReportState<Verification>;
}

/** Load the reports of a source. */
export function useLab(
  source: PageSource,
  place: readonly [PageLocation, (changes: PageLocation) => void],
  onError: (message: string) => void,
): Lab {
  const suite = useReport(source, place, { name: "suite", load: suiteOf, onError });
  const verification = useReport(source, place, { name: "verification", load: verificationOf, onError });
  const shown = useCounts(source, verification.shown, onError);
  return { suite, verification: { ...verification, shown } };
}

/** Whether a report is shown in place of the task. */
export const showsReport = ({ suite, verification }: Lab): boolean =>
  suite.shown !== undefined || verification.shown !== undefined;

const suiteOf = (source: PageSource) => source.suite?.();
const verificationOf = (source: PageSource) => source.verification?.();
