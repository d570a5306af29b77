import { useEffect, useState } from "react";
import type { TaskInfo } from "../../../wire/http/api.ts";
import type { Chart } from "../../chart/chart.ts";
import { errorText } from "../model/format.ts";
import type { Breakpoints, SetBreakpoints, TaskActions } from "../source.ts";
import { shortened } from "../text/printable.ts";

const NO_BREAKPOINTS: SetBreakpoints = { states: [], events: [], laws: false, pause: false };

export interface BreakpointPanelProps {
  readonly taskId: string;
  readonly chart: Chart;
  readonly actions: TaskActions;
  /** A task that is not open holds no events. */
  readonly isOpen: boolean;
  /** Whether the page has no connection: breakpoints can't be read and set. */
  readonly isLost: boolean;
  /** The types of the held events, the next one first; absent while nothing is held. */
  readonly held: readonly string[] | undefined;
  /** The broken law for which they are held. */
  readonly broken: TaskInfo["broken"];
  readonly onError: (message: string) => void;
  readonly onClose: () => void;
}

/** The breakpoints of a task, and the held events. */
export function BreakpointPanel(props: BreakpointPanelProps) {
  const { taskId, chart, actions, isOpen, isLost, held, broken, onError, onClose } = props;
  const [set, setSet] = useState(NO_BREAKPOINTS);
  const status = isOpen ? heldText(held) : "The task is not open.";
  const canAct = isOpen && !isLost;
  // Another client may change the breakpoints, or they are lifted: the status changes, and they are read again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the status changes with the held events
  useEffect(() => {
    if (!canAct) return;
    let isCurrent = true;
    actions.breakpoints(taskId).then(
      (now) => isCurrent && setSet(now),
      (error: unknown) => onError(errorText(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [taskId, actions, canAct, status, onError]);
  const run = (action: Promise<void>): void => {
    action.catch((error: unknown) => onError(errorText(error)));
  };
  const change = (part: Partial<Breakpoints>): void => {
    const { lifted: _, ...before } = set;
    const next = { ...before, ...part };
    setSet(next);
    run(actions.setBreakpoints(taskId, next));
  };
  return (
    <aside className="sb-card sb-breakpoints" aria-label="Breakpoints">
      <header>
        <b>Breakpoints</b>
        <button type="button" className="sb-quiet" onClick={onClose} aria-label="Close">
          ✕
        </button>
      </header>
      <p>Events are held before the machine processes them. A cancel is never held.</p>
      <p role="status" className="sb-mono">
        {status}
      </p>
      {broken !== undefined && (
        <p role="alert">
          <b>{broken.law}</b> is broken: {shortened(broken.reason, 400)}
        </p>
      )}
      {set.lifted !== undefined && <p role="alert">{set.lifted}</p>}
      <fieldset disabled={!canAct}>
        <div className="sb-action-bar">
          <button type="button" onClick={() => change({ pause: true })}>
            Hold next event
          </button>
          <button type="button" onClick={() => run(actions.step(taskId))}>
            Step
          </button>
          <button type="button" className="sb-main" onClick={() => run(actions.resume(taskId))}>
            Resume
          </button>
        </div>
        <label>
          <input
            type="checkbox"
            checked={set.laws}
            onChange={({ target }) => change({ laws: target.checked })}
          />
          when a law is broken
        </label>
        <details open>
          <summary>in a state ({set.states.length})</summary>
          {checkboxes(statesOf(chart), set.states, (states) => change({ states }))}
        </details>
        <details>
          <summary>before an event ({set.events.length})</summary>
          {checkboxes(eventsOf(chart), set.events, (events) => change({ events }))}
        </details>
      </fieldset>
    </aside>
  );
}

/** A checkbox for each name; `onChange` is called with the checked ones. */
const checkboxes = (
  names: readonly string[],
  checked: readonly string[],
  onChange: (checked: readonly string[]) => void,
) =>
  names.map((name) => (
    <label key={name}>
      <input
        type="checkbox"
        checked={checked.includes(name)}
        onChange={({ target }) =>
          onChange(target.checked ? [...checked, name] : checked.filter((one) => one !== name))
        }
      />
      <span className="sb-mono">{name}</span>
    </label>
  ));

function heldText(held: readonly string[] | undefined): string {
  if (held === undefined) return "No event is held.";
  return held.length === 0 ? "The next event will be held." : `Held: ${shortened(held.join(", "), 400)}`;
}

/** The states in which a task can stay. One with an unguarded transition without an event is left as it is entered. */
export function statesOf({ states, edges }: Chart): readonly string[] {
  const passed = new Set(
    edges
      .filter(({ rows }) => rows.some(({ event, guard }) => event === "" && guard === undefined))
      .map(({ source }) => source),
  );
  return states.map(({ path }) => path).filter((path) => !passed.has(path));
}

/** The types of the events that take an edge. */
const eventsOf = ({ edges }: Chart): readonly string[] =>
  [...new Set(edges.flatMap(({ rows }) => rows.map(({ event }) => event)))].filter(Boolean).sort();
