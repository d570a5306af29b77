import type { ReactNode } from "react";
import type { ChartView } from "../panes/chart/chart-view.ts";
import { SuiteView, type SuiteViewProps } from "../suite/suite-view.tsx";
import type { Lab } from "./use-lab.ts";
import { VerificationView } from "./verification-view.tsx";

interface LabViewProps extends Omit<SuiteViewProps, "suite"> {
  readonly lab: Lab;
  /** The machine's chart. A text or undefined: there is none yet. */
  readonly view: ChartView | string | undefined;
  readonly children: ReactNode;
}

/** The shown report of the lab. Without one: the children. */
export function LabView({ lab: { suite, verification }, view, children, ...runs }: LabViewProps) {
  if (suite.shown !== undefined) return <SuiteView suite={suite.shown} {...runs} />;
  if (verification.shown !== undefined)
    return <VerificationView verification={verification.shown} view={view} />;
  return children;
}
