import { useMemo } from "react";
import type { TraceReader } from "../../../trace/index.ts";
import type { TaskCard } from "../../../wire/index.ts";
import { type Difference, firstDifference } from "../model/difference.ts";
import { nameOf } from "../model/event-words.ts";
import { topOf } from "../model/state.ts";
import { shortened } from "../text/index.ts";
import { StateShape } from "./state-mark.tsx";
import type { SeenTrace } from "./use-trace.ts";

/** Events that are listed before and behind the present place. */
const AROUND = 40;

export interface CompareProps {
  readonly one: SeenTrace;
  readonly other: SeenTrace | undefined;
  readonly tasks: readonly TaskCard[];
  readonly beside: string | undefined;
  readonly at: number;
  readonly onGo: (seq: number) => void;
  readonly onBeside: (taskId: string | undefined) => void;
}

/** Two traces side by side, at the same place, with the first difference marked. */
export function Compare({ one, other, tasks, beside, at, onGo, onBeside }: CompareProps) {
  const difference = useDifference(one, other);
  const others = tasks.filter(({ id }) => id !== one.trace.taskId);
  return (
    <section className="sb-pane sb-compare" aria-label="Compare">
      <header className="sb-bar-head">
        <h3>Compare with</h3>
        <select
          value={beside ?? ""}
          aria-label="The other task"
          onChange={({ target }) => onBeside(target.value || undefined)}
        >
          <option value="">choose a task</option>
          {others.map(({ id, title }) => (
            <option key={id} value={id}>
              {shortened(title, 60)} · {shortened(id, 60)}
            </option>
          ))}
        </select>
        {other !== undefined && <Verdict difference={difference} onGo={onGo} />}
      </header>
      <div className="sb-compare-lists">
        <Events name="this task" seen={one} at={at} difference={difference?.at} onGo={onGo} />
        {other === undefined ? (
          <p className="sb-none">
            {others.length === 0 ? "There is no other task." : "Choose the other task above."}
          </p>
        ) : (
          <Events name="the other" seen={other} at={at} difference={difference?.at} onGo={onGo} />
        )}
      </div>
    </section>
  );
}

function useDifference(one: SeenTrace, other: SeenTrace | undefined): Difference | undefined {
  // The versions say that a trace, which stays the same object, has grown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  return useMemo(
    () => (other === undefined ? undefined : firstDifference(one.trace, other.trace)),
    [one.trace, other?.trace, one.version, other?.version],
  );
}

function Verdict({
  difference,
  onGo,
}: {
  readonly difference: Difference | undefined;
  readonly onGo: (seq: number) => void;
}) {
  if (difference === undefined) return <span>They tell the same.</span>;
  return (
    <span>
      They part at{" "}
      <button type="button" className="sb-link sb-num" onClick={() => onGo(difference.at)}>
        {difference.at}
      </button>
      : {shortened(difference.what)}
    </span>
  );
}

const intoView = (item: HTMLElement | null): void => item?.scrollIntoView({ block: "nearest" });

function Events({
  name,
  seen: { trace, index },
  at,
  difference,
  onGo,
}: {
  readonly name: string;
  readonly seen: SeenTrace;
  readonly at: number;
  readonly difference: number | undefined;
  readonly onGo: (seq: number) => void;
}) {
  return (
    <ol className="sb-events" aria-label={`Events of ${name}`}>
      {placesAround(trace, at).map((seq) => (
        <li
          key={seq}
          aria-current={seq === at}
          ref={seq === at ? intoView : undefined}
          data-part={
            difference === undefined || seq < difference ? "same" : seq === difference ? "first" : "after"
          }
        >
          <button type="button" onClick={() => onGo(seq)}>
            <span className="sb-num">{seq}</span>
            <StateShape state={topOf(index.paths[seq] ?? "")} />
            <b className="sb-mono">{shortened(nameOf(trace.event(seq)))}</b>
            <span className="sb-mono sb-dim">{shortened(index.paths[seq] ?? "")}</span>
            {seq === difference && <mark>first difference</mark>}
          </button>
        </li>
      ))}
    </ol>
  );
}

function placesAround(trace: TraceReader, at: number): readonly number[] {
  const first = Math.max(0, Math.min(at - AROUND, trace.length - 2 * AROUND));
  const last = Math.min(trace.length - 1, first + 2 * AROUND);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, step) => first + step);
}
