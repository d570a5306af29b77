import type { ReactNode } from "react";
import { Elsewhere } from "./elsewhere.tsx";
import { PASSING_SIZE, useRest } from "./use-rest.ts";
import { useReveal } from "./use-reveal.ts";
import { useSpan } from "./use-span.ts";
import "./reading.css";

export interface ReadListProps {
  /** What the list is, for those who hear it. */
  readonly label: string;
  /** What its items are, in the plural. */
  readonly of: string;
  readonly length: number;
  /** The item around which it is shown. */
  readonly focus: number;
  /** How many items are on the page at once. */
  readonly size: number;
  /** The place in the trace: another one brings the focus back. */
  readonly place: number;
  /** What stands above it and stays there. */
  readonly head?: ReactNode;
  /** What is said where there is none. */
  readonly none: string;
  readonly item: (position: number) => ReactNode;
}

/** A long list of which a part is shown: around what is marked, until a person looks elsewhere. */
export function ReadList(props: ReadListProps): ReactNode {
  const { label, of, length, focus, size, place, head, none, item } = props;
  const isAtRest = useRest(place);
  const { from, to, move } = useSpan(length, focus, isAtRest ? size : PASSING_SIZE, place);
  const list = useReveal<HTMLDivElement>(place, isAtRest);
  return (
    <section className="reading-pane" aria-label={label}>
      {head}
      <div ref={list} className="reading-scroll">
        <Elsewhere side="earlier" left={from} of={of} onMove={move} />
        {length === 0 && <p className="reading-none">{none}</p>}
        <ol className="reading-list" start={from + 1}>
          {Array.from({ length: to - from }, (_, offset) => item(from + offset))}
        </ol>
        <Elsewhere side="later" left={length - to} of={of} onMove={move} />
      </div>
    </section>
  );
}
