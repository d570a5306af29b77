import { useMemo, useState } from "react";
import { callMachine } from "../../../../machines/tool-call/call.machine.ts";
import type { Chart, ChartLayout } from "../../../chart/chart.ts";
import { chartOf } from "../../../chart/chart-of.ts";
import { HoldButton } from "../../actions/hold-button.tsx";
import { beforeCalls } from "../../actions/use-breakpoints.ts";
import { callPath, callPhases, countUntil } from "../../model/call-path.ts";
import { EdgePaths } from "../../model/edge-paths.ts";
import { hasSixStates } from "../../model/state-graph.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import { textOfTaken } from "../../model/transition-rows.ts";
import { VisitCounter, type VisitCounts, withOpenTime } from "../../model/visit-counts.ts";
import type { PaneProps } from "../../pane-props.ts";
import { shortened } from "../../text/printable.ts";
import { useSettled } from "../list/use-window.ts";
import callLayout from "./call-layout.json";
import type { DrawingProps } from "./chart-props.ts";
import type { ChartView } from "./chart-view.ts";
import { MachineChart } from "./machine-chart.tsx";
import { StateCard, type StateCardProps } from "./state-card.tsx";
import { classesOf, StateOverview } from "./state-overview.tsx";

export interface ChartPaneProps extends PaneProps, Pick<StateCardProps, "holds"> {
  readonly view: ChartView;
  readonly onPossible: () => void;
}

/** The call that waits, or else the newest. */
const CURRENT = "current call";

/** The statechart of the task, and beside it the chart of a tool call that has moved. */
export function ChartPane(props: ChartPaneProps) {
  const { trace, at, view, holds, onPossible } = props;
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const { moves } = trace.index;
  const count = countUntil(moves, at);
  const phases = useMemo(() => callPhases(moves, count), [moves, count]);
  const callId = chosen === CURRENT ? currentCall(phases) : chosen;
  const tool = callId === undefined ? undefined : trace.index.toolNames.get(callId);
  return (
    <div className="sb-charts">
      <div className="sb-chart-bar">
        {phases.size > 0 && (
          <CallChoice trace={trace} calls={[...phases.keys()]} chosen={chosen} onChoose={setChosen} />
        )}
        {holds !== undefined && tool !== undefined && (
          <HoldButton
            holds={holds}
            place={beforeCalls(tool)}
            name={`Hold before calls of ${shortened(tool)}`}
            text={`Hold before ${shortened(tool, 60)}`}
          />
        )}
        <button type="button" aria-pressed={view.showsPossible} onClick={onPossible}>
          All transitions
        </button>
      </div>
      <TaskChart {...props} />
      {callId !== undefined && phases.has(callId) && <CallChart {...props} callId={callId} />}
    </div>
  );
}

/** The first call that has not settled: calls are handled in the order of their response. Without one, the newest. */
const currentCall = (phases: ReadonlyMap<string, string>): string | undefined => {
  const calls = [...phases.keys()];
  return calls.find((id) => phases.get(id) !== "settled") ?? calls.at(-1);
};

/** The calls that the list has: the newest up to the event. */
const LISTED_CALLS = 50;

interface CallChoiceProps {
  readonly trace: TraceSnapshot;
  readonly calls: readonly string[];
  /** Undefined: the chart of the task alone. */
  readonly chosen: string | undefined;
  readonly onChoose: (chosen: string | undefined) => void;
}

function CallChoice({ trace, calls, chosen, onChoose }: CallChoiceProps) {
  const { toolNames } = trace.index;
  return (
    <select
      aria-label="Chart of a call"
      value={chosen ?? ""}
      onChange={({ target }) => onChoose(target.value || undefined)}
    >
      <option value="">No call</option>
      <option value={CURRENT}>Current call</option>
      {calls.map((id, index) =>
        index < calls.length - LISTED_CALLS && id !== chosen ? null : (
          <option key={id} value={id}>
            {`Call ${index + 1}: ${shortened(toolNames.get(id) ?? id, 60)}`}
          </option>
        ),
      )}
    </select>
  );
}

const CALL_CHART = chartOf(callMachine);
const CALL_PATHS = new EdgePaths(CALL_CHART);

function CallChart({ callId, ...props }: ChartPaneProps & { readonly callId: string }) {
  const { trace, at, until } = props;
  const { phase, visits } = useMemo(
    () => callPath(trace.index, callId, { edgePaths: CALL_PATHS, at, until }),
    [trace, callId, at, until],
  );
  return (
    <Diagram
      {...props}
      subject="call"
      chart={CALL_CHART}
      layout={callLayout}
      path={phase}
      visits={visits}
      holds={undefined}
    />
  );
}

/** The active state, the last transitions, and the visits of each state. */
function TaskChart(props: ChartPaneProps) {
  const { trace, at, until, view } = props;
  const { paths, times } = trace.index;
  const path = paths[at] ?? "no_task";
  const open = until - (times[at] ?? 0);
  const { chart, layout, edgePaths } = view;
  const counter = useMemo(() => new VisitCounter(edgePaths), [edgePaths]);
  const counted = useMemo(() => counter.at(trace, at), [counter, trace, at]);
  const visits = useMemo(() => withOpenTime(counted, path, open), [counted, path, open]);
  return <Diagram {...props} subject="task" chart={chart} layout={layout} path={path} visits={visits} />;
}

interface DiagramProps extends ChartPaneProps {
  readonly subject: "task" | "call";
  readonly chart: Chart;
  readonly layout: ChartLayout | undefined;
  readonly path: string;
  readonly visits: VisitCounts;
}

/** A chart with the card of its selected state. */
function Diagram({ subject, chart, layout, path, visits, view, ...props }: DiagramProps) {
  const isSettled = useSettled(props.at);
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const isOverview = useMemo(() => hasSixStates(chart), [chart]);
  const { showsPossible } = view;
  const drawing: DrawingProps = {
    chart,
    visits,
    path,
    at: props.at,
    selected,
    showsPossible,
    onSelect: setSelected,
  };
  const state = chart.states.find((one) => one.path === selected);
  const classes = { "sb-chart": true, "is-passing": !isSettled, "is-ended": props.ended !== undefined };
  return (
    <section className={classesOf(classes)} aria-label={`Chart of the ${subject}`}>
      <div className="sb-chart-drawn">
        <Caption subject={subject} path={path} visits={visits} hasEnded={props.ended !== undefined} />
        {isOverview ? <StateOverview {...drawing} /> : <MachineChart {...drawing} layout={layout} />}
      </div>
      {state !== undefined && (
        <StateCard
          {...props}
          state={state}
          chart={chart}
          visits={visits}
          showsPossible={showsPossible}
          onClose={() => setSelected(undefined)}
        />
      )}
    </section>
  );
}

/** The most rows of the caption. */
const ROWS_MAX = 3;

interface CaptionProps extends Pick<DiagramProps, "subject" | "path" | "visits"> {
  readonly hasEnded: boolean;
}

/** The state, and the rows by which the current event entered it. */
function Caption({ subject, path, visits, hasEnded }: CaptionProps) {
  const { last, inferred } = visits;
  const rows = last.filter((taken) => taken.rows.length > 0).map(textOfTaken);
  const further = rows.length > ROWS_MAX ? `, +${rows.length - ROWS_MAX}` : "";
  return (
    <p className="sb-legend">
      The {subject} {hasEnded ? "ended in " : last.length === 0 ? "is in " : "entered "}
      <b className="sb-mono">{shortened(path)}</b>
      {rows.length > 0 && ` by ${shortened(rows.slice(0, ROWS_MAX).join(", "), 200)}${further}`}
      {inferred.size > 0 && (
        <span className="sb-dashed" title="The trace has no microsteps of these events.">
          dashed: inferred
        </span>
      )}
    </p>
  );
}
