import { type CSSProperties, useMemo, useRef, useState } from "react";
import { topState } from "../../../../machines/message/states.ts";
import type { ChartBox, ChartState } from "../../../chart/chart.ts";
import { count, duration } from "../../model/format.ts";
import { isWithin, STATE_LABELS } from "../../model/state.ts";
import { mergedEdges, type StateSum, stateSums } from "../../model/state-graph.ts";
import { statePlaces } from "../../model/state-places.ts";
import { StateIcon } from "../../shell/state-badge.tsx";
import { shortened } from "../../text/printable.ts";
import type { DrawingProps } from "./chart-props.ts";
import { visitText } from "./count-text.ts";
import { wireOf } from "./edge-wires.ts";
import { useSize } from "./use-size.ts";
import { Wires } from "./wires.tsx";

/** The height of a substate in the list of an open state, in pixels. The list takes the line of the active substate. */
const INNER_HEIGHT = 25;
const LIST_PADDING = -8;
/** The width from which a box has space for the time beside its share. */
const WIDE_BOX = 150;

/** The six states in fixed places, with the merged edges between them. The selected state shows its substates in its place. */
export function StateOverview(props: DrawingProps) {
  const { chart, visits, path, at, selected, showsPossible, onSelect } = props;
  const frame = useRef<HTMLDivElement>(null);
  const pane = useSize(frame) ?? { width: 0, height: 0 };
  const [hovered, setHovered] = useState<string | undefined>(undefined);
  const opened = selected === undefined ? undefined : topState(selected);
  const inner = useMemo(() => chart.states.filter(({ parent }) => parent === opened), [chart, opened]);
  const listHeight = inner.length === 0 ? 0 : inner.length * INNER_HEIGHT + LIST_PADDING;
  const { boxes, wires, width, height, minHeight } = useMemo(
    () => statePlaces(pane, opened && { state: opened, listHeight }),
    [pane, opened, listHeight],
  );
  const merged = useMemo(() => mergedEdges(chart), [chart]);
  const drawn = useMemo(
    () =>
      merged.flatMap((edge) => {
        const place = wires.get(edge.id);
        const isNear = edge.source === hovered || edge.source === opened;
        return (place && wireOf({ ...edge, ...place }, visits, { isNear, showsPossible })) ?? [];
      }),
    [merged, wires, visits, hovered, opened, showsPossible],
  );
  return (
    <div ref={frame} className="sb-drawing" style={{ minHeight }}>
      <div className="sb-drawn" style={{ width, height }}>
        <Wires width={width} height={height} wires={drawn} at={at} />
        {stateSums(visits, path).map((sum) => (
          <StateBox
            key={sum.state}
            {...props}
            sum={sum}
            box={boxes[sum.state]}
            inner={sum.state === opened ? inner : undefined}
            onHover={setHovered}
            onSelect={onSelect}
          />
        ))}
      </div>
    </div>
  );
}

interface StateBoxProps extends DrawingProps {
  readonly sum: StateSum;
  readonly box: ChartBox;
  /** Its substates, if it is open. */
  readonly inner: readonly ChartState[] | undefined;
  readonly onHover: (state: string | undefined) => void;
}

function StateBox({ sum, box, inner, onHover, ...props }: StateBoxProps) {
  const { state, isActive, entries, time, share } = sum;
  const isOpen = inner !== undefined;
  const sums = props.sumText?.(sum);
  return (
    <div
      className={classesOf({
        "sb-state": true,
        "is-active": isActive,
        "is-seen": entries > 0,
        "is-open": isOpen,
      })}
      data-state={state}
      data-path={state}
      style={placeOf(box)}
      onPointerEnter={() => onHover(state)}
      onPointerLeave={() => onHover(undefined)}
    >
      <span className="sb-share" style={{ width: `${share * 100}%` }} />
      <button
        type="button"
        className="sb-state-head"
        aria-expanded={isOpen}
        title={`${state}: ${sums ?? visitText(entries, time)}`}
        onClick={() => props.onSelect(isOpen ? undefined : state)}
        onFocus={() => onHover(state)}
        onBlur={() => onHover(undefined)}
      >
        <span className="sb-state-name">
          <StateIcon state={state} />
          {STATE_LABELS[state]}
        </span>
        <span className="sb-state-sum">
          {sums ?? (entries === 0 ? "not entered" : sumText(sum, box.width))}
        </span>
        {sum.inner !== undefined && !isOpen && (
          <span className="sb-state-inner is-active" data-path={`${state}.${sum.inner}`}>
            {shortened(sum.inner, 40)}
          </span>
        )}
      </button>
      {isOpen && inner.length > 0 && <InnerStates {...props} inner={inner} />}
    </div>
  );
}

/** The entries, the time if there is space, and its share. */
function sumText({ entries, time, share }: StateSum, width: number): string {
  const parts = [`×${count(entries)}`, ...(width >= WIDE_BOX ? [duration(time)] : []), percent(share)];
  return parts.join(" · ");
}

const percent = (share: number): string =>
  share > 0 && share < 0.01 ? "<1 %" : `${Math.round(share * 100)} %`;

/** The substates of an open state. */
function InnerStates({
  inner,
  visits,
  path,
  selected,
  onSelect,
}: DrawingProps & Pick<StateBoxProps, "inner">) {
  return (
    <ul className="sb-inner-states">
      {inner?.map((state) => {
        const entries = visits.entries.get(state.path) ?? 0;
        const isActive = isWithin(path, state.path);
        return (
          <li key={state.path}>
            <button
              type="button"
              className={classesOf({ "is-active": isActive, "is-seen": entries > 0 })}
              aria-pressed={selected === state.path}
              data-path={state.path}
              onClick={() => onSelect(selected === state.path ? state.parent : state.path)}
            >
              <span>{state.name}</span>
              {entries > 0 && <span className="sb-num">×{count(entries)}</span>}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** The names whose value is true. */
export const classesOf = (names: Readonly<Record<string, boolean>>): string =>
  Object.keys(names)
    .filter((name) => names[name])
    .join(" ");

export const placeOf = ({ x, y, width, height }: ChartBox): CSSProperties => ({
  left: x,
  top: y,
  width,
  height,
});
