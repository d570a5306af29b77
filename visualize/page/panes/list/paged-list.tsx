import type { ReactNode } from "react";
import { grouped } from "../../model/format.ts";
import { useScrollIntoView } from "./use-scroll-into-view.ts";
import { MOVING_SIZE, type Side, useSettled, useWindow } from "./use-window.ts";
import "./list.css";

export interface PagedListProps {
  /** The accessible name. */
  readonly label: string;
  /** The noun of its items, in the plural. */
  readonly of: string;
  readonly length: number;
  /** The item to center on. */
  readonly focus: number;
  /** How many items are rendered. */
  readonly size: number;
  /** The current event: a change centers the list on the focus again. */
  readonly at: number;
  /** The item that is shown at the top at first, in place of the focus and the marked items. */
  readonly anchor?: number | undefined;
  /** A fixed header. */
  readonly head?: ReactNode;
  /** The text of an empty list. */
  readonly none: string;
  readonly item: (position: number) => ReactNode;
}

/** A long list. Only a part is rendered: around the focus, until the user pages. */
export function PagedList(props: PagedListProps): ReactNode {
  const { label, of, length, focus, size, at, anchor, head, none, item } = props;
  const isSettled = useSettled(at);
  const { from, to, move } = useWindow(length, anchor ?? focus, isSettled ? size : MOVING_SIZE, at);
  const list = useScrollIntoView<HTMLDivElement>(
    at,
    isSettled,
    anchor === undefined ? undefined : anchor - from,
  );
  return (
    <section className="list-pane" aria-label={label}>
      {head}
      <div ref={list} className="list-scroll">
        <MoreItems side="earlier" left={from} of={of} onMove={move} />
        {length === 0 && <p className="list-empty">{none}</p>}
        <ol className="list-items" start={from + 1}>
          {Array.from({ length: to - from }, (_, offset) => item(from + offset))}
        </ol>
        <MoreItems side="later" left={length - to} of={of} onMove={move} />
      </div>
    </section>
  );
}

export interface MoreItemsProps {
  readonly side: Side;
  /** How many there are. */
  readonly left: number;
  /** Their noun, in the plural. */
  readonly of: string;
  readonly onMove: (side: Side) => void;
}

/** A button with the number of items before or after the shown ones; nothing if there are none. */
export function MoreItems({ side, left, of, onMove }: MoreItemsProps): ReactNode {
  if (left === 0) return null;
  return (
    <button type="button" className="list-more" onClick={() => onMove(side)}>
      {side === "earlier" ? "↑" : "↓"} {grouped(left)} {side} {of}
    </button>
  );
}
