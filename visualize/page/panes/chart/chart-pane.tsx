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
import { type Chart, type ChartLayout, labelOf } from "../../../chart/index.ts";
import type { EdgePaths } from "../../model/edge-paths.ts";
import { labelPlace } from "../../model/label-place.ts";
import { isWithin } from "../../model/state.ts";
import { indexOf } from "../../model/trace-index.ts";
import { VisitCounter, type VisitCounts } from "../../model/visit-counts.ts";
import type { PaneProps } from "../../pane-props.ts";
import { shortened } from "../../text/index.ts";
import { useSettled } from "../list/index.ts";
import { StateCard } from "./state-card.tsx";
import { StateNode, type StateNodeType } from "./state-node.tsx";
import { ArrowHeads, type EdgeLabel, TransitionEdge, type TransitionEdgeType } from "./transition-edge.tsx";
import { useStableItems } from "./use-stable.ts";

const NODES = { state: StateNode };
const EDGES = { transition: TransitionEdge };
const FIT = { padding: 0.03, duration: 0 } as const;
const MIN_ZOOM = 0.15;
const MAX_ZOOM = 2.5;

/** The machine's chart with its layout, and the edges that events take. */
export interface ChartView {
  readonly chart: Chart;
  readonly layout: ChartLayout;
  /** Whether all edges have labels. */
  readonly isLabelled: boolean;
  readonly edgePaths: EdgePaths;
}

export interface ChartPaneProps extends PaneProps {
  readonly view: ChartView;
  readonly onLabels: () => void;
}

/** The statechart with the active state, the last transitions, and the visits of each state. */
export function ChartPane(props: ChartPaneProps) {
  return (
    <ReactFlowProvider>
      <Diagram {...props} />
    </ReactFlowProvider>
  );
}

function Diagram({ trace, at, view, onGo, onLabels }: ChartPaneProps) {
  const index = indexOf(trace);
  const { chart, layout, edgePaths, isLabelled } = view;
  const isSettled = useSettled(at);
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const counter = useMemo(() => new VisitCounter(trace, index, edgePaths), [trace, index, edgePaths]);
  const visits = useMemo(() => counter.at(at), [counter, at]);
  const path = index.paths[at] ?? "no_task";
  const nodes = useStableItems(
    useMemo(() => nodesOf(chart, layout, visits, path, selected), [chart, layout, visits, path, selected]),
  );
  const labels = useMemo(() => labelsOf(view), [view]);
  const edges = useStableItems(
    useMemo(() => edgesOf(view, labels, visits, at, selected), [view, labels, visits, at, selected]),
  );
  const state = chart.states.find((one) => one.path === selected);
  return (
    <div className={`sb-chart${isLabelled ? " is-labelled" : ""}${isSettled ? "" : " is-passing"}`}>
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
        {visits.last.length === 0 ? "in state " : "entered "}
        <b className="sb-mono">{shortened(path)}</b>
        {visits.last.length > 1 && ` by ${visits.last.length} transitions`}
      </p>
      {state !== undefined && (
        <StateCard
          state={state}
          chart={chart}
          visits={visits}
          trace={trace}
          at={at}
          onGo={onGo}
          onClose={() => setSelected(undefined)}
        />
      )}
    </div>
  );
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
    // Edges go around the states: the bounds are larger than those of the states.
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

/** The label of each edge: where the layout has it, or beside its route. */
const labelsOf = ({ chart, layout, isLabelled }: ChartView): ReadonlyMap<string, EdgeLabel> =>
  new Map(
    chart.edges.flatMap((edge) => {
      const route = layout.edges[edge.id];
      if (route === undefined) return [];
      const { label } = route;
      if (isLabelled && label !== undefined) {
        const place = { x: label.x + label.width / 2, y: label.y + label.height / 2 };
        return [[edge.id, { lines: [label.text], place }]];
      }
      const lines = labelOf(edge);
      return [[edge.id, { lines, place: labelPlace(route.points, lines, layout) }]];
    }),
  );

function edgesOf(
  { chart, layout, isLabelled }: ChartView,
  labels: ReadonlyMap<string, EdgeLabel>,
  visits: VisitCounts,
  at: number,
  selected: string | undefined,
): TransitionEdgeType[] {
  return chart.edges.flatMap((edge) => {
    const route = layout.edges[edge.id];
    const label = labels.get(edge.id);
    if (route === undefined || label === undefined) return [];
    const isLast = visits.last.includes(edge.id);
    const isNear = selected !== undefined && (edge.source === selected || edge.target === selected);
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
          taken: visits.edges.get(edge.id) ?? 0,
          last: isLast ? at : undefined,
          isNear,
          isLabelled: isLabelled && route.label !== undefined,
        },
      },
    ];
  });
}
