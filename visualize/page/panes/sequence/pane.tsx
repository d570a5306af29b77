import { type KeyboardEvent, type ReactNode, useEffect } from "react";
import type { TraceReader } from "../../../../trace/index.ts";
import { timeOf } from "../../model/event-words.ts";
import { clock } from "../../model/format.ts";
import { topOf } from "../../model/state.ts";
import { indexOf } from "../../model/trace-index.ts";
import type { PaneProps } from "../../pane.ts";
import { headOf, printable, Short } from "../../text/index.ts";
import { Elsewhere, PASSING_SIZE, useLook, useRest, useReveal } from "../reading/index.ts";
import { Drawing } from "./drawing.tsx";
import { lanesOf } from "./lanes.ts";
import { lifelinesOf } from "./lifelines.ts";
import { type Step, stepsAround } from "./steps.ts";
import { arrivalOf, sentenceOf, wayOf } from "./telling.ts";
import "./sequence.css";

/** How many lines are on the page at once, however long the trace is. */
export const SEQUENCE_MAX_LINES = 80;

/**
 * Who told the task what: its actors as lanes, each event an arrow from its sender, each actor's life from its start to
 * its stop. The event that is shown is marked; a click, or the arrow keys, go to another.
 */
export function SequencePane({ trace, at, onGo }: PaneProps): ReactNode {
  const [middle, look] = useLook(at, at);
  const isAtRest = useRest(at);
  const list = useReveal<HTMLDivElement>(at, isAtRest);
  const steps = stepsAround(trace, middle, isAtRest ? SEQUENCE_MAX_LINES : PASSING_SIZE);
  const { names } = indexOf(trace);
  const lifelines = lifelinesOf(trace, steps, names);
  const ways = steps.map(({ event }) => wayOf(event, names));
  const lanes = lanesOf([
    ...ways.flatMap(({ from, to }) => [from, to]),
    ...lifelines.map(({ lane }) => lane),
  ]);
  const current = steps.findIndex(({ first, last }) => first <= at && at <= last);
  const first = steps[0]?.first ?? 0;
  const last = steps.at(-1)?.last ?? 0;
  useFocusThatFollows(list, at);
  const move = (side: "earlier" | "later") => look(side === "earlier" ? first : last);
  return (
    <section className="sequence-pane" aria-label="Sequence of events">
      <div ref={list} className="sequence-scroll">
        <div className="sequence-sheet">
          <div className="sequence-heads" aria-hidden="true">
            {lanes.map(({ id, label, width }) => (
              <span key={id} className="sequence-head" style={{ width }}>
                <Short text={label} maxChars={15} />
              </span>
            ))}
          </div>
          <Elsewhere side="earlier" left={first} of="events" onMove={move} />
          <div className="sequence-body">
            <Drawing
              lanes={lanes}
              steps={steps}
              ways={ways}
              lifelines={lifelines}
              states={steps.map((step) => topOf(stateAfter(trace, step)))}
              current={current}
            />
            <ol className="sequence-lines">
              {steps.map((step, line) => (
                <Line
                  key={step.first}
                  step={step}
                  at={at}
                  isCurrent={line === current}
                  onGo={onGo}
                  trace={trace}
                />
              ))}
            </ol>
          </div>
          <Elsewhere side="later" left={trace.length - 1 - last} of="events" onMove={move} />
        </div>
      </div>
    </section>
  );
}

/** An end of an effect, and the beginning of a journal, leave the state as it was. */
function stateAfter(trace: TraceReader, { event }: Step): string {
  return event.record.kind === "commit" ? event.record.after : trace.moment(event.seq).state;
}

interface LineProps {
  readonly step: Step;
  readonly at: number;
  readonly isCurrent: boolean;
  readonly trace: TraceReader;
  readonly onGo: (seq: number) => void;
}

/** One line: what can be pressed, and what is read aloud. Of all lines, the Tab key comes to the one that is shown. */
function Line({ step, at, isCurrent, trace, onGo }: LineProps): ReactNode {
  const { event, first, last } = step;
  const arrival = arrivalOf(event);
  const count = last - first + 1;
  const goBy = ({ key }: KeyboardEvent): number | undefined => {
    if (key === "ArrowDown") return Math.min(trace.length - 1, (isCurrent ? at : last) + 1);
    if (key === "ArrowUp") return Math.max(0, (isCurrent ? at : first) - 1);
    if (key === "Home") return 0;
    return key === "End" ? trace.length - 1 : undefined;
  };
  const sentence = printable(headOf(sentenceOf(step), 1_000));
  return (
    <li {...(isCurrent && { "data-marked": "" })}>
      <button
        type="button"
        className={isCurrent ? "sequence-line sequence-marked" : "sequence-line"}
        aria-label={sentence}
        aria-current={isCurrent ? "step" : undefined}
        tabIndex={isCurrent ? 0 : -1}
        title={sentence}
        onClick={() => onGo(last)}
        onKeyDown={(event) => {
          const seq = goBy(event);
          if (seq === undefined) return;
          event.preventDefault();
          onGo(seq);
        }}
      >
        <span className="sequence-gutter">
          <span className="sequence-seq">
            {count === 1 ? last : isCurrent ? `${at} of ${last}` : `${first}–${last}`}
          </span>
          <span className="sequence-time">{clock(timeOf(event))}</span>
          {arrival !== undefined && (
            <span className="sequence-arrival" data-state={topOf(arrival)}>
              <Short text={arrival} maxChars={24} />
            </span>
          )}
        </span>
      </button>
    </li>
  );
}

/** The line that had the focus is another one once the place has changed: the focus goes along. */
function useFocusThatFollows(list: { readonly current: HTMLElement | null }, at: number): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is what moves the mark
  useEffect(() => {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement) || !focused.classList.contains("sequence-line")) return;
    if (!list.current?.contains(focused)) return;
    const marked = list.current.querySelector("[aria-current]");
    if (marked instanceof HTMLElement) marked.focus({ preventScroll: true });
  }, [at]);
}
