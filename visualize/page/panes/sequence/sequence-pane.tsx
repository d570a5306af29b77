import { type KeyboardEvent, type ReactNode, useEffect } from "react";
import { topState } from "../../../../machines/message/states.ts";
import { timeOf } from "../../model/event-text.ts";
import { clock } from "../../model/format.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import type { PaneProps } from "../../pane-props.ts";
import { Short } from "../../text/plain.tsx";
import { headOf, printable } from "../../text/printable.ts";
import { MoreItems } from "../list/paged-list.tsx";
import { useScrollIntoView } from "../list/use-scroll-into-view.ts";
import { MOVING_SIZE, type Side, useCenter, useSettled } from "../list/use-window.ts";
import { arrowEnds, enteredState, formatStep } from "./arrows.ts";
import { lifelinesOf } from "./lifelines.ts";
import { participantsOf } from "./participants.ts";
import { SequenceDiagram } from "./sequence-diagram.tsx";
import { type Step, stepsAround } from "./steps.ts";
import { useArrowInView } from "./use-arrow-in-view.ts";
import "./sequence.css";

/** The most lines that are rendered at once. */
export const SEQUENCE_MAX_LINES = 80;

/**
 * A sequence diagram: actors as participants, events as arrows from their senders, and actors' lifelines. The current
 * event is marked; a click or the arrow keys select another.
 */
export function SequencePane({ trace, at, until, ended, onGo }: PaneProps): ReactNode {
  const [center, setCenter] = useCenter(at, at);
  const isSettled = useSettled(at);
  const list = useScrollIntoView<HTMLDivElement>(at, isSettled);
  const steps = stepsAround(trace, center, isSettled ? SEQUENCE_MAX_LINES : MOVING_SIZE);
  const { toolNames } = trace.index;
  const lifelines = lifelinesOf(trace, steps, toolNames);
  const ends = steps.map(({ event }) => arrowEnds(event, toolNames));
  const participants = participantsOf([
    ...ends.flatMap(({ from, to }) => [from, to]),
    ...lifelines.map(({ participant }) => participant),
  ]);
  const current = steps.findIndex(({ first, last }) => first <= at && at <= last);
  const first = steps[0]?.first ?? 0;
  const last = steps.at(-1)?.last ?? 0;
  useFocusOnCurrent(list, at);
  useArrowInView(list, participants, ends[current]);
  const move = (side: Side) => setCenter(side === "earlier" ? first : last);
  return (
    <section className="sequence-pane" aria-label="Sequence of events">
      <div ref={list} className="sequence-scroll">
        <div className="sequence-content">
          <div className="sequence-heads" aria-hidden="true">
            {participants.map(({ id, label, width }) => (
              <span key={id} className="sequence-head" style={{ width }}>
                <Short text={label} maxChars={15} />
              </span>
            ))}
          </div>
          <MoreItems side="earlier" left={first} of="events" onMove={move} />
          <div className="sequence-body">
            <SequenceDiagram
              participants={participants}
              steps={steps}
              ends={ends}
              lifelines={lifelines}
              states={steps.map((step) => topState(stateAfter(trace, step)))}
              current={current}
              running={last === at && ended === undefined ? runningTimes(trace, at, until) : NOTHING}
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
          <MoreItems side="later" left={trace.length - 1 - last} of="events" onMove={move} />
        </div>
      </div>
    </section>
  );
}

const NOTHING: ReadonlyMap<string, number> = new Map();

/** How long, in milliseconds, each actor has run that runs after the event `at`, if it has run for a time. */
function runningTimes(trace: TraceSnapshot, at: number, until: number): ReadonlyMap<string, number> {
  const { times } = trace.index;
  const { actors } = trace.moment(at);
  const lasted = [...actors].map(([actor, since]) => [actor, until - (times[since] ?? until)] as const);
  return new Map(lasted.filter(([, ms]) => ms > 0));
}

/** Headers and ends of effects leave the state unchanged. */
function stateAfter(trace: TraceSnapshot, { event }: Step): string {
  return event.record.kind === "commit" ? event.record.after : trace.moment(event.seq).state;
}

interface LineProps extends Pick<PaneProps, "trace" | "at" | "onGo"> {
  readonly step: Step;
  readonly isCurrent: boolean;
}

/** One line as a button. The Tab key reaches only the current one. */
function Line({ step, at, isCurrent, trace, onGo }: LineProps): ReactNode {
  const { event, first, last } = step;
  const state = enteredState(event);
  const count = last - first + 1;
  const goBy = ({ key }: KeyboardEvent): number | undefined => {
    if (key === "ArrowDown") return Math.min(trace.length - 1, (isCurrent ? at : last) + 1);
    if (key === "ArrowUp") return Math.max(0, (isCurrent ? at : first) - 1);
    if (key === "Home") return 0;
    return key === "End" ? trace.length - 1 : undefined;
  };
  const sentence = printable(headOf(formatStep(step), 1_000));
  return (
    <li {...(isCurrent && { "data-marked": "" })}>
      <button
        type="button"
        className={isCurrent ? "sequence-line sequence-selected" : "sequence-line"}
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
          {state !== undefined && (
            <span className="sequence-state" data-state={topState(state)}>
              <Short text={state} maxChars={24} />
            </span>
          )}
        </span>
        <span className="sb-visually-hidden">{sentence}</span>
      </button>
    </li>
  );
}

/** Move the focus to the current line if another line has it. */
function useFocusOnCurrent(list: { readonly current: HTMLElement | null }, at: number): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current event moves the mark
  useEffect(() => {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement) || !focused.classList.contains("sequence-line")) return;
    if (!list.current?.contains(focused)) return;
    const marked = list.current.querySelector("[aria-current]");
    if (marked instanceof HTMLElement) marked.focus({ preventScroll: true });
  }, [at]);
}
