import {
  Background,
  BackgroundVariant,
  Controls,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import { useEffect, useMemo, useRef, useState } from "react";
import { type Chart, type ChartLayout, labelOf } from "../../../chart/index.ts";
import { isWithin } from "../../model/state.ts";
import { Tallies, type Tally } from "../../model/tally.ts";
import type { TraceIndex } from "../../model/trace-index.ts";
import type { Walks } from "../../model/walk.ts";
import type { PaneProps } from "../../pane.ts";
import { shortened } from "../../text/index.ts";
import { useRest } from "../reading/index.ts";
import { StateCard } from "./state-card.tsx";
import { StateNode, type StateNodeType } from "./state-node.tsx";
import { useKept } from "./use-kept.ts";
import { WayEdge, type WayEdgeType, WayHeads } from "./way-edge.tsx";

const NODES = { state: StateNode };
const EDGES = { way: WayEdge };
const FIT = { padding: 0.03, duration: 0 } as const;

/** A machine's picture, where each thing on it stands, and how it is walked. */
export interface DrawnChart {
  readonly chart: Chart;
  readonly layout: ChartLayout;
  /** With labels on all arrows. */
  readonly isLabelled: boolean;
  readonly walks: Walks;
}

export interface ChartPaneProps extends PaneProps {
  readonly index: TraceIndex;
  readonly drawn: DrawnChart;
  readonly onLabels: () => void;
}

/** The statechart, alive: where the task is, how it came there, and how often and how long it was where. */
export function ChartPane(props: ChartPaneProps) {
  return (
    <ReactFlowProvider>
      <Picture {...props} />
    </ReactFlowProvider>
  );
}

function Picture({ trace, at, index, drawn, onGo, onLabels }: ChartPaneProps) {
  const { chart, layout, walks, isLabelled } = drawn;
  const isAtRest = useRest(at);
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const tallies = useMemo(() => new Tallies(trace, index, walks), [trace, index, walks]);
  const tally = useMemo(() => tallies.at(at), [tallies, at]);
  const path = index.paths[at] ?? "no_task";
  const nodes = useKept(
    useMemo(() => nodesOf(chart, layout, tally, path, selected), [chart, layout, tally, path, selected]),
  );
  const lines = useMemo(() => linesOf(drawn), [drawn]);
  const edges = useKept(
    useMemo(() => edgesOf(drawn, lines, tally, at, selected), [drawn, lines, tally, at, selected]),
  );
  const state = chart.states.find((one) => one.path === selected);
  return (
    <div className={`sb-chart${isLabelled ? " is-labelled" : ""}${isAtRest ? "" : " is-passing"}`}>
      <WayHeads />
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
        minZoom={0.15}
        maxZoom={2.5}
        zoomOnDoubleClick={false}
        ariaLabelConfig={{ "node.a11yDescription.default": "Enter shows what this state is." }}
      >
        <Background variant={BackgroundVariant.Dots} gap={18} size={1} />
        <Controls showInteractive={false} showFitView={false} position="bottom-left">
          <Fit layout={layout} />
          <button
            type="button"
            className="react-flow__controls-button"
            aria-pressed={isLabelled}
            title="labels on all arrows"
            onClick={onLabels}
          >
            <b>Aa</b>
          </button>
        </Controls>
        <Refit layout={layout} />
      </ReactFlow>
      <p className="sb-legend" aria-live="polite">
        {tally.last.length === 0 ? "stays in " : "came to "}
        <b className="sb-mono">{shortened(path)}</b>
        {tally.last.length > 1 && ` by ${tally.last.length} arrows`}
      </p>
      {state !== undefined && (
        <StateCard
          state={state}
          chart={chart}
          tally={tally}
          trace={trace}
          at={at}
          onGo={onGo}
          onClose={() => setSelected(undefined)}
        />
      )}
    </div>
  );
}

/** The whole, with room below for the controls. */
const wholeOf = ({ width, height }: ChartLayout) => ({ x: 0, y: 0, width, height: height + 36 });

function Fit({ layout }: { readonly layout: ChartLayout }) {
  const { fitBounds } = useReactFlow();
  return (
    <button
      type="button"
      className="react-flow__controls-button"
      title="show all of it"
      onClick={() => void fitBounds(wholeOf(layout), FIT)}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M1 5V1h4v2H3v2zM11 1h4v4h-2V3h-2zM15 11v4h-4v-2h2v-2zM5 15H1v-4h2v2h2z" />
      </svg>
    </button>
  );
}

/** Shows the whole again when the pane or the layout has another size. */
function Refit({ layout }: { readonly layout: ChartLayout }) {
  const { fitBounds } = useReactFlow();
  const mark = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const pane = mark.current?.closest(".sb-chart");
    if (pane === null || pane === undefined) return;
    // The arrows go around the states: the whole is larger than these.
    const showAll = (): void => void fitBounds(wholeOf(layout), FIT);
    const observer = new ResizeObserver(showAll);
    observer.observe(pane);
    return () => observer.disconnect();
  }, [fitBounds, layout]);
  return <span ref={mark} hidden />;
}

function nodesOf(
  { states }: Chart,
  layout: ChartLayout,
  tally: Tally,
  path: string,
  selected: string | undefined,
): StateNodeType[] {
  const holders = new Set(states.map(({ parent }) => parent));
  return states.flatMap((state) => {
    const box = layout.states[state.path];
    if (box === undefined) return [];
    const around = state.parent === undefined ? undefined : layout.states[state.parent];
    const isActive = isWithin(path, state.path);
    const entries = tally.entries.get(state.path) ?? 0;
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
          isHolder: holders.has(state.path),
          isActive,
          entries,
          time: tally.times.get(state.path) ?? 0,
        },
      },
    ];
  });
}

/** The words on each arrow. */
const linesOf = ({ chart, layout, isLabelled }: DrawnChart): ReadonlyMap<string, readonly string[]> =>
  new Map(
    chart.edges.map((edge) => {
      const label = isLabelled ? layout.edges[edge.id]?.label : undefined;
      return [edge.id, label === undefined ? labelOf(edge) : [label.text]];
    }),
  );

function edgesOf(
  { chart, layout, isLabelled }: DrawnChart,
  lines: ReadonlyMap<string, readonly string[]>,
  tally: Tally,
  at: number,
  selected: string | undefined,
): WayEdgeType[] {
  return chart.edges.flatMap((edge) => {
    const way = layout.edges[edge.id];
    if (way === undefined) return [];
    const isLast = tally.last.includes(edge.id);
    const isNear = selected !== undefined && (edge.source === selected || edge.target === selected);
    return [
      {
        id: edge.id,
        type: "way",
        source: edge.source,
        target: edge.target,
        zIndex: isLast ? 6 : isNear ? 5 : 3,
        focusable: false,
        data: {
          edge,
          points: way.points,
          label: way.label,
          lines: lines.get(edge.id) ?? [],
          taken: tally.edges.get(edge.id) ?? 0,
          last: isLast ? at : undefined,
          isNear,
          isLabelled,
        },
      },
    ];
  });
}
