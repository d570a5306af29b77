import { useMemo } from "react";
import { topState } from "../../../machines/message/states.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";
import type { TraceReader } from "../../trace/moment.ts";
import { counterpartOf, type Difference, firstDifference } from "../model/difference.ts";
import { nameOf } from "../model/event-text.ts";
import { useScrollIntoView } from "../panes/list/use-scroll-into-view.ts";
import { shortened } from "../text/printable.ts";
import { StateIcon } from "./state-badge.tsx";
import type { LoadedTrace } from "./use-trace.ts";

/** Events that are listed before and after the current one. */
const AROUND = 40;

export interface CompareProps {
  readonly loaded: LoadedTrace;
  readonly other: LoadedTrace | undefined;
  readonly tasks: readonly TaskInfo[];
  readonly comparedWith: string | undefined;
  readonly at: number;
  readonly onGo: (seq: number) => void;
  readonly onComparedWith: (taskId: string | undefined) => void;
}

/** Two traces side by side, with the first difference marked. */
export function Compare({ loaded, other, tasks, comparedWith, at, onGo, onComparedWith }: CompareProps) {
  const difference = useDifference(loaded, other);
  const others = tasks.filter(({ id }) => id !== loaded.trace.taskId);
  return (
    <section className="sb-pane sb-compare" aria-label="Compare">
      <header className="sb-bar-head">
        <h3>Compare with</h3>
        <select
          value={comparedWith ?? ""}
          aria-label="The other task"
          onChange={({ target }) => onComparedWith(target.value || undefined)}
        >
          <option value="">Choose a task</option>
          {others.map(({ id, title }) => (
            <option key={id} value={id}>
              {shortened(title, 60)} · {shortened(id, 60)}
            </option>
          ))}
        </select>
        {other !== undefined && <DifferenceLink difference={difference} onGo={onGo} />}
      </header>
      <div className="sb-compare-lists">
        <Events name="this task" loaded={loaded} at={at} difference={difference?.at} onGo={onGo} />
        {other === undefined ? (
          <p className="sb-empty">
            {others.length === 0 ? "There is no other task." : "Choose the other task above."}
          </p>
        ) : (
          <Events
            name="the other task"
            loaded={other}
            at={counterpartOf(at, loaded.trace, other.trace)}
            difference={difference?.otherAt}
            onGo={(seq) => onGo(counterpartOf(seq, other.trace, loaded.trace))}
          />
        )}
      </div>
    </section>
  );
}

function useDifference(one: LoadedTrace, other: LoadedTrace | undefined): Difference | undefined {
  const [mine, others] = [one.trace, other?.trace];
  return useMemo(() => (others === undefined ? undefined : firstDifference(mine, others)), [mine, others]);
}

type DifferenceLinkProps = Pick<CompareProps, "onGo"> & { readonly difference: Difference | undefined };

function DifferenceLink({ difference, onGo }: DifferenceLinkProps) {
  if (difference === undefined) return <span>No difference.</span>;
  return (
    <span>
      Different from event{" "}
      <button type="button" className="sb-link sb-num" onClick={() => onGo(difference.at)}>
        {difference.at}
      </button>
      : {shortened(difference.what)}
    </span>
  );
}

interface EventsProps extends Pick<CompareProps, "loaded" | "at" | "onGo"> {
  readonly name: string;
  readonly difference: number | undefined;
}

function Events({ name, loaded: { trace }, at, difference, onGo }: EventsProps) {
  const list = useScrollIntoView<HTMLOListElement>(at, true);
  const { paths } = trace.index;
  return (
    <ol ref={list} className="sb-events" aria-label={`Events of ${name}`}>
      {eventsAround(trace, at).map((seq) => (
        <li
          key={seq}
          aria-current={seq === at}
          data-marked={seq === at ? "" : undefined}
          data-part={
            difference === undefined || seq < difference ? "same" : seq === difference ? "first" : "after"
          }
        >
          <button type="button" onClick={() => onGo(seq)}>
            <span className="sb-num">{seq}</span>
            <StateIcon state={topState(paths[seq] ?? "")} />
            <b className="sb-mono">{shortened(nameOf(trace.event(seq)))}</b>
            <span className="sb-mono sb-dim">{shortened(paths[seq] ?? "")}</span>
            {seq === difference && <mark>first difference</mark>}
          </button>
        </li>
      ))}
    </ol>
  );
}

function eventsAround(trace: TraceReader, at: number): readonly number[] {
  const first = Math.max(0, Math.min(at - AROUND, trace.length - 2 * AROUND));
  const last = Math.min(trace.length - 1, first + 2 * AROUND);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset);
}
