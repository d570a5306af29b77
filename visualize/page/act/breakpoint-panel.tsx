import { useEffect, useState } from "react";
import type { TaskCard } from "../../../wire/index.ts";
import type { Chart } from "../../chart/index.ts";
import type { Breakpoints, SetBreakpoints, TaskActions } from "../source.ts";
import { shortened } from "../text/index.ts";

const NO_BREAKPOINTS: SetBreakpoints = { states: [], events: [], laws: false, pause: false };

/** Where the task's events are held, and what lets them go on. */
export function BreakpointPanel({
  taskId,
  chart,
  actions,
  isOpen,
  held,
  broken,
  onProblem,
  onClose,
}: {
  readonly taskId: string;
  readonly chart: Chart;
  readonly actions: TaskActions;
  /** A task that is not open holds nothing. */
  readonly isOpen: boolean;
  /** The types of the events that wait, the next one first; absent while nothing is held. */
  readonly held: readonly string[] | undefined;
  /** The law for which they are held. */
  readonly broken: TaskCard["broken"];
  readonly onProblem: (words: string) => void;
  readonly onClose: () => void;
}) {
  const [set, setSet] = useState(NO_BREAKPOINTS);
  const words = isOpen ? heldInWords(held) : "The task is not open: nothing is held.";
  // What is held changes when somebody sets them elsewhere, or they are lifted: then they are read again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words stand for what is held
  useEffect(() => {
    if (!isOpen) return;
    let isWanted = true;
    actions.breakpoints(taskId).then(
      (now) => {
        if (isWanted) setSet(now);
      },
      (error: unknown) => onProblem(wordsOf(error)),
    );
    return () => {
      isWanted = false;
    };
  }, [taskId, actions, isOpen, words, onProblem]);
  const events = eventsOf(chart);
  const tell = (what: Promise<void>): void => {
    what.catch((error: unknown) => onProblem(wordsOf(error)));
  };
  const change = (part: Partial<Breakpoints>): void => {
    const { lifted: _, ...before } = set;
    const next = { ...before, ...part };
    setSet(next);
    tell(actions.setBreakpoints(taskId, next));
  };
  const toggled = (list: readonly string[], name: string): readonly string[] =>
    list.includes(name) ? list.filter((one) => one !== name) : [...list, name];
  return (
    <aside className="sb-card sb-breakpoints" aria-label="Breakpoints">
      <header>
        <b>Breakpoints</b>
        <button type="button" className="sb-quiet" onClick={onClose} aria-label="Close">
          ✕
        </button>
      </header>
      <p>Events are held before the machine takes them. A cancel always passes.</p>
      <p role="status" className="sb-mono">
        {words}
      </p>
      {broken !== undefined && (
        <p role="alert">
          <b>{broken.law}</b> is broken: {shortened(broken.reason, 400)}
        </p>
      )}
      {set.lifted !== undefined && <p role="alert">{set.lifted}</p>}
      <fieldset disabled={!isOpen}>
        <div className="sb-act">
          <button type="button" onClick={() => change({ pause: true })}>
            Hold the next
          </button>
          <button type="button" onClick={() => tell(actions.step(taskId))}>
            One event on
          </button>
          <button type="button" className="sb-main" onClick={() => tell(actions.resume(taskId))}>
            Go on
          </button>
        </div>
        <label>
          <input
            type="checkbox"
            checked={set.laws}
            onChange={({ target }) => change({ laws: target.checked })}
          />
          once a law is broken
        </label>
        <details open>
          <summary>in a state ({set.states.length})</summary>
          {chart.states.map(({ path }) => (
            <label key={path}>
              <input
                type="checkbox"
                checked={set.states.includes(path)}
                onChange={() => change({ states: toggled(set.states, path) })}
              />
              <span className="sb-mono">{path}</span>
            </label>
          ))}
        </details>
        <details>
          <summary>before an event ({set.events.length})</summary>
          {events.map((event) => (
            <label key={event}>
              <input
                type="checkbox"
                checked={set.events.includes(event)}
                onChange={() => change({ events: toggled(set.events, event) })}
              />
              <span className="sb-mono">{event}</span>
            </label>
          ))}
        </details>
      </fieldset>
    </aside>
  );
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function heldInWords(held: readonly string[] | undefined): string {
  if (held === undefined) return "Events pass.";
  return held.length === 0 ? "The next event is held." : `Held: ${shortened(held.join(", "), 400)}`;
}

/** The types of the events that lead anywhere. */
const eventsOf = ({ edges }: Chart): readonly string[] =>
  [...new Set(edges.flatMap(({ rows }) => rows.map(({ event }) => event)))].filter(Boolean).sort();
