import type { ReactNode } from "react";
import { MoreItems } from "./more-items.tsx";
import { useScrollIntoView } from "./use-scroll-into-view.ts";
import { MOVING_SIZE, useSettled } from "./use-settled.ts";
import { useWindow } from "./use-window.ts";
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
  readonly place: number;
  /** A fixed header. */
  readonly head?: ReactNode;
  /** The text of an empty list. */
  readonly none: string;
  readonly item: (position: number) => ReactNode;
}

/** A long list of which a part is rendered: around the focus, until the user pages. */
export function PagedList(props: PagedListProps): ReactNode {
  const { label, of, length, focus, size, place, head, none, item } = props;
  const isSettled = useSettled(place);
  const { from, to, move } = useWindow(length, focus, isSettled ? size : MOVING_SIZE, place);
  const list = useScrollIntoView<HTMLDivElement>(place, isSettled);
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
