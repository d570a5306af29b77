import {
  Background,
  BackgroundVariant,
  Controls,
  getViewportForBounds,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Chart, ChartEdge, ChartLayout } from "../../../chart/chart.ts";
import { callPath, callPhases, countUntil } from "../../model/call-path.ts";
import { edgeTitle, labelLines } from "../../model/edge-label.ts";
import { isWithin } from "../../model/state.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import { rowsByEdge, VisitCounter, type VisitCounts, withOpenTime } from "../../model/visit-counts.ts";
import type { PaneProps } from "../../pane-props.ts";
import { shortened } from "../../text/printable.ts";
import { useSettled } from "../list/use-window.ts";
import type { ChartView } from "./chart-view.ts";
import { EdgeLabels } from "./edge-labels.ts";
import { StateCard } from "./state-card.tsx";
import { StateNode, type StateNodeType } from "./state-node.tsx";
import { ArrowHeads, TransitionEdge, type TransitionEdgeType } from "./transition-edge.tsx";
import { useCallView } from "./use-call-view.ts";
import { useStableItems } from "./use-stable.ts";

const NODES = { state: StateNode };
const EDGES = { transition: TransitionEdge };
const FIT = { padding: 0.03, duration: 0 } as const;
const MIN_ZOOM = 0.15;
const MAX_ZOOM = 2.5;

export interface ChartPaneProps extends PaneProps {
  readonly view: ChartView;
  readonly onLabels: () => void;
}

/** The call that waits, or else the newest. */
const CURRENT = "current call";

/** The statechart of the task, or of a tool call that has moved. */
export function ChartPane(props: ChartPaneProps) {
  const { trace, at, view } = props;
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const { moves } = trace.index;
  const count = countUntil(moves, at);
  const phases = useMemo(() => callPhases(moves, count), [moves, count]);
  const callId = chosen === CURRENT ? currentCall(phases) : chosen;
  const callView = useCallView(callId !== undefined, view.isLabelled);
  const isOfCall = callId !== undefined && phases.has(callId) && callView !== undefined;
  return (
    <section className="sb-charts" aria-label={isOfCall ? "Chart of the call" : "Chart of the task"}>
      <ReactFlowProvider key={isOfCall ? "call" : "task"}>
        {isOfCall ? <CallDiagram {...props} view={callView} callId={callId} /> : <TaskDiagram {...props} />}
      </ReactFlowProvider>
      {phases.size > 0 && (
        <ChartChoice trace={trace} calls={[...phases.keys()]} chosen={chosen} onChoose={setChosen} />
      )}
    </section>
  );
}

/** The first call that has not settled: calls are handled in the order of their response. Without one, the newest. */
const currentCall = (phases: ReadonlyMap<string, string>): string | undefined => {
  const calls = [...phases.keys()];
  return calls.find((id) => phases.get(id) !== "settled") ?? calls.at(-1);
};

/** The calls that the list has: the newest up to the event. */
const LISTED_CALLS = 50;

interface ChartChoiceProps {
  readonly trace: TraceSnapshot;
  readonly calls: readonly string[];
  /** Undefined: the chart of the task. */
  readonly chosen: string | undefined;
  readonly onChoose: (chosen: string | undefined) => void;
}

function ChartChoice({ trace, calls, chosen, onChoose }: ChartChoiceProps) {
  const { toolNames } = trace.index;
  return (
    <select
      className="sb-chart-choice"
      aria-label="Chart of"
      value={chosen ?? ""}
      onChange={({ target }) => onChoose(target.value || undefined)}
    >
      <option value="">Task</option>
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

function CallDiagram({ callId, ...props }: ChartPaneProps & { readonly callId: string }) {
  const { trace, at, until } = props;
  const { edgePaths } = props.view;
  const { phase, visits } = useMemo(
    () => callPath(trace.index, callId, { edgePaths, at, until }),
    [trace, callId, edgePaths, at, until],
  );
  return <Diagram {...props} path={phase} visits={visits} />;
}

/** The active state, the last transitions, and the visits of each state. */
function TaskDiagram(props: ChartPaneProps) {
  const { trace, at, until, view } = props;
  const { paths, times } = trace.index;
  const path = paths[at] ?? "no_task";
  const open = until - (times[at] ?? 0);
  const { edgePaths } = view;
  const counter = useMemo(() => new VisitCounter(edgePaths), [edgePaths]);
  const counted = useMemo(() => counter.at(trace, at), [counter, trace, at]);
  const visits = useMemo(() => withOpenTime(counted, path, open), [counted, path, open]);
  return <Diagram {...props} path={path} visits={visits} />;
}

interface DiagramProps extends ChartPaneProps {
  readonly path: string;
  readonly visits: VisitCounts;
}

function Diagram({ trace, at, until, ended, view, path, visits, onGo, onLabels }: DiagramProps) {
  const { chart, layout, isLabelled } = view;
  const isSettled = useSettled(at);
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const nodes = useStableItems(
    useMemo(() => nodesOf(chart, layout, visits, path, selected), [chart, layout, visits, path, selected]),
  );
  const [hovered, setHovered] = useState<string | undefined>(undefined);
  const labels = useMemo(() => new EdgeLabels(view), [view]);
  const edges = useStableItems(
    useMemo(
      () => edgesOf(labels, visits, at, { selected, hovered }),
      [labels, visits, at, selected, hovered],
    ),
  );
  const state = chart.states.find((one) => one.path === selected);
  return (
    <div className={classesOf({ isLabelled, isSettled, hasEnded: ended !== undefined })}>
      <ArrowHeads />
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODES}
        edgeTypes={EDGES}
        onNodeClick={(_, node) => setSelected(node.id)}
        onNodesChange={(changes) => {
          for (const change of changes)
            if (change.type === "select" && change.selected) setSelected(change.id);
        }}
        onEdgeMouseEnter={(_, edge) => setHovered(edge.id)}
        onEdgeMouseLeave={() => setHovered(undefined)}
        onPaneClick={() => setSelected(undefined)}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        disableKeyboardA11y={false}
        minZoom={MIN_ZOOM}
        maxZoom={MAX_ZOOM}
        zoomOnDoubleClick={false}
        ariaLabelConfig={{ "node.a11yDescription.default": "Press Enter for details of this state." }}
      >
        <Background variant={BackgroundVariant.Dots} gap={18} size={1} />
        <Controls showInteractive={false} showFitView={false} position="bottom-left">
          <Fit layout={layout} />
          <button
            type="button"
            className="react-flow__controls-button"
            aria-pressed={isLabelled}
            title="label all transitions"
            onClick={onLabels}
          >
            <b>Aa</b>
          </button>
        </Controls>
        <Refit layout={layout} />
      </ReactFlow>
      <p className="sb-legend" aria-live="polite">
        {ended !== undefined ? "ended in " : visits.last.length === 0 ? "in state " : "entered "}
        <b className="sb-mono">{shortened(path)}</b>
        {visits.last.length > 1 && ended === undefined && ` by ${visits.last.length} transitions`}
      </p>
      {state !== undefined && (
        <StateCard
          state={state}
          chart={chart}
          visits={visits}
          trace={trace}
          at={at}
          until={until}
          onGo={onGo}
          onClose={() => setSelected(undefined)}
        />
      )}
    </div>
  );
}

interface Look {
  readonly isLabelled: boolean;
  readonly isSettled: boolean;
  readonly hasEnded: boolean;
}

function classesOf({ isLabelled, isSettled, hasEnded }: Look): string {
  const classes = [
    "sb-chart",
    isLabelled && "is-labelled",
    !isSettled && "is-passing",
    hasEnded && "is-ended",
  ];
  return classes.filter(Boolean).join(" ");
}

/** The whole chart, with space below for the controls. */
const boundsOf = ({ width, height }: ChartLayout) => ({ x: 0, y: 0, width, height: height + 36 });

function Fit({ layout }: { readonly layout: ChartLayout }) {
  const { fitBounds } = useReactFlow();
  return (
    <button
      type="button"
      className="react-flow__controls-button"
      title="fit to view"
      onClick={() => void fitBounds(boundsOf(layout), FIT)}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M1 5V1h4v2H3v2zM11 1h4v4h-2V3h-2zM15 11v4h-4v-2h2v-2zM5 15H1v-4h2v2h2z" />
      </svg>
    </button>
  );
}

/** Fit the chart to the view when the pane or the layout changes its size. */
function Refit({ layout }: { readonly layout: ChartLayout }) {
  const { fitBounds } = useReactFlow();
  const mark = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const pane = mark.current?.closest<HTMLElement>(".sb-chart");
    if (pane === null || pane === undefined) return;
    // Edges go around the states: the bounds are larger than the bounds of the states.
    const bounds = boundsOf(layout);
    const showAll = (): void => {
      const { clientWidth, clientHeight } = pane;
      const { zoom } = getViewportForBounds(
        bounds,
        clientWidth,
        clientHeight,
        MIN_ZOOM,
        MAX_ZOOM,
        FIT.padding,
      );
      pane.style.setProperty("--fit-zoom", String(zoom));
      void fitBounds(bounds, FIT);
    };
    const observer = new ResizeObserver(showAll);
    observer.observe(pane);
    return () => observer.disconnect();
  }, [fitBounds, layout]);
  return <span ref={mark} hidden />;
}

function nodesOf(
  { states }: Chart,
  layout: ChartLayout,
  visits: VisitCounts,
  path: string,
  selected: string | undefined,
): StateNodeType[] {
  const compounds = new Set(states.map(({ parent }) => parent));
  return states.flatMap((state) => {
    const box = layout.states[state.path];
    if (box === undefined) return [];
    const around = state.parent === undefined ? undefined : layout.states[state.parent];
    const isActive = isWithin(path, state.path);
    const entries = visits.entries.get(state.path) ?? 0;
    return [
      {
        id: state.path,
        type: "state",
        position: { x: box.x - (around?.x ?? 0), y: box.y - (around?.y ?? 0) },
        ...(state.parent !== undefined && { parentId: state.parent }),
        width: box.width,
        height: box.height,
        measured: { width: box.width, height: box.height },
        selected: selected === state.path,
        ariaLabel: `${state.path}${isActive ? ", active" : ""}, entered ${entries} times`,
        data: {
          state,
          isCompound: compounds.has(state.path),
          isActive,
          entries,
          time: visits.times.get(state.path) ?? 0,
        },
      },
    ];
  });
}

/** The state and the edge that the user points at. */
interface Pointed {
  readonly selected: string | undefined;
  readonly hovered: string | undefined;
}

function edgesOf(
  labels: EdgeLabels,
  visits: VisitCounts,
  at: number,
  pointed: Pointed,
): TransitionEdgeType[] {
  const { chart, layout } = labels.view;
  const taken = rowsByEdge(visits);
  const last = rowsByEdge({ rows: new Map(visits.last.map((row) => [row, visits.rows.get(row) ?? 1])) });
  return chart.edges.flatMap((edge) => {
    const route = layout.edges[edge.id];
    if (route === undefined) return [];
    const rows = taken.get(edge.id) ?? [];
    const isLast = last.has(edge.id);
    const isNear = isPointedAt(edge, pointed);
    const label = isNear
      ? labels.of(edge, labelLines(edge, rows, true))
      : labels.atRest(edge, rows, last.get(edge.id));
    return [
      {
        id: edge.id,
        type: "transition",
        source: edge.source,
        target: edge.target,
        zIndex: isLast ? 6 : isNear ? 5 : 3,
        focusable: false,
        data: {
          edge,
          points: route.points,
          label,
          title: edgeTitle(edge, rows),
          isTaken: rows.length > 0,
          last: isLast ? at : undefined,
          isNear,
        },
      },
    ];
  });
}

const isPointedAt = ({ id, source, target }: ChartEdge, { selected, hovered }: Pointed): boolean =>
  id === hovered || (selected !== undefined && (source === selected || target === selected));
