import { useState } from "react";
import type { Chart } from "../../chart/index.ts";
import type { Breakpoints, TaskActions } from "../source.ts";

export const NO_BREAKPOINTS: Breakpoints = { states: [], events: [], laws: false, pause: false };

/** Where the task's events are held, and what lets them go on. */
export function BreakpointPanel({
  taskId,
  chart,
  actions,
  held,
  onProblem,
  onClose,
}: {
  readonly taskId: string | undefined;
  readonly chart: Chart | undefined;
  readonly actions: TaskActions | undefined;
  /** The types of the events that wait, the next one first; absent while nothing is held. */
  readonly held: readonly string[] | undefined;
  readonly onProblem: (words: string) => void;
  readonly onClose: () => void;
}) {
  const [set, setSet] = useState<Breakpoints>(NO_BREAKPOINTS);
  if (taskId === undefined || actions === undefined || chart === undefined) return null;
  const events = eventsOf(chart);
  const tell = (what: Promise<void>): void => {
    what.catch((error: unknown) => onProblem(error instanceof Error ? error.message : String(error)));
  };
  const change = (part: Partial<Breakpoints>): void => {
    const next = { ...set, ...part };
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
        {heldInWords(held)}
      </p>
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
        once the rows mean another state than the machine's (L1)
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
    </aside>
  );
}

function heldInWords(held: readonly string[] | undefined): string {
  if (held === undefined) return "Events pass.";
  return held.length === 0 ? "The next event is held." : `Held: ${held.join(", ")}`;
}

/** The types of the events that lead anywhere. */
const eventsOf = ({ edges }: Chart): readonly string[] =>
  [...new Set(edges.flatMap(({ rows }) => rows.map(({ event }) => event)))].filter(Boolean).sort();
