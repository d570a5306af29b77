import { holdsOf, useBreakpoints } from "../../actions/use-breakpoints.ts";
import type { TaskActions } from "../../source.ts";
import { ChartPane, type ChartPaneProps } from "./chart-pane.tsx";

export interface HeldChartProps extends Omit<ChartPaneProps, "holds"> {
  readonly taskId: string;
  /** Undefined: the source is read-only. */
  readonly actions: TaskActions | undefined;
  /** Whether breakpoints can be set now. */
  readonly canHold: boolean;
  /** The types of the held events; absent while nothing is held. */
  readonly held: readonly string[] | undefined;
  readonly onError: (message: string) => void;
}

/** The chart, with breakpoints that a click sets where the task can be held. */
export function HeldChart({ actions, canHold, held, taskId, onError, ...chart }: HeldChartProps) {
  if (actions === undefined) return <ChartPane {...chart} holds={undefined} />;
  return <SettableChart {...{ ...chart, actions, canHold, held, taskId, onError }} />;
}

function SettableChart(props: HeldChartProps & { readonly actions: TaskActions }) {
  const { actions, canHold, held, taskId, onError, ...chart } = props;
  const version = held?.join() ?? "";
  const breakpoints = useBreakpoints(taskId, actions, { canAct: canHold, version, onError });
  return <ChartPane {...chart} holds={canHold ? holdsOf(breakpoints) : undefined} />;
}
