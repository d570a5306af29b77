import { useState } from "react";
import type { TaskInfo } from "../../../wire/http/api.ts";
import type { Chart } from "../../chart/chart.ts";
import { errorText } from "../model/format.ts";
import type { EventBreakpoint, TaskActions } from "../source.ts";
import { shortened } from "../text/printable.ts";
import { canHold } from "./hold-button.tsx";
import { beforeCalls, type HeldPlace, type Holds, holdsOf, useBreakpoints } from "./use-breakpoints.ts";

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
  const status = isOpen ? heldText(held) : "The task is not open.";
  const canAct = isOpen && !isLost;
  const breakpoints = useBreakpoints(taskId, actions, { canAct, version: status, onError });
  const { set } = breakpoints;
  const holds = holdsOf(breakpoints);
  const run = (action: Promise<void>): void => {
    action.catch((error: unknown) => onError(errorText(error)));
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
          <button type="button" onClick={() => breakpoints.change(() => ({ pause: true }))}>
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
            onChange={({ target }) => breakpoints.change(() => ({ laws: target.checked }))}
          />
          when a law is broken
        </label>
        <ToolField holds={holds} />
        {set.events.map((event) => {
          const place = typeof event === "string" ? { type: event } : event;
          const name = eventName(place);
          return name === place.type ? null : <PlaceBox key={name} holds={holds} place={place} name={name} />;
        })}
        <details open>
          <summary>in a state ({set.states.length})</summary>
          {statesOf(chart).map((path) => (
            <PlaceBox key={path} holds={holds} place={{ inState: path }} name={path} />
          ))}
        </details>
        <details>
          <summary>before an event ({set.events.length})</summary>
          {eventsOf(chart).map((type) => (
            <PlaceBox key={type} holds={holds} place={{ type }} name={type} />
          ))}
        </details>
      </fieldset>
    </aside>
  );
}

interface PlaceBoxProps {
  readonly holds: Holds;
  readonly place: HeldPlace;
  readonly name: string;
}

/** A checkbox that sets and removes a breakpoint. */
const PlaceBox = ({ holds, place, name }: PlaceBoxProps) => (
  <label>
    <input type="checkbox" checked={holds.has(place)} onChange={() => holds.toggle(place)} />
    <span className="sb-mono">{shortened(name)}</span>
  </label>
);

/** A breakpoint before calls of a tool, by its name. */
function ToolField({ holds }: { readonly holds: Holds }) {
  const [tool, setTool] = useState("");
  const place = beforeCalls(tool.trim());
  return (
    <div className="sb-action-bar">
      <input
        value={tool}
        onChange={({ target }) => setTool(target.value)}
        placeholder="Name of a tool"
        aria-label="Name of a tool"
      />
      <button
        type="button"
        disabled={tool.trim() === "" || holds.has(place)}
        onClick={() => {
          holds.toggle(place);
          setTool("");
        }}
      >
        Hold before its calls
      </button>
    </div>
  );
}

/** Format a breakpoint on an event: `tool.finished in running.calling`. */
const eventName = ({ type, state, tool }: EventBreakpoint): string =>
  [type, ...(tool === undefined ? [] : [`of ${tool}`]), ...(state === undefined ? [] : [`in ${state}`])].join(
    " ",
  );

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

/** The types of the events that take an edge and that can be held. */
const eventsOf = ({ edges }: Chart): readonly string[] =>
  [...new Set(edges.flatMap(({ rows }) => rows.map(({ event }) => event)))].filter(canHold).sort();
