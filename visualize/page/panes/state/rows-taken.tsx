import type { Microstep, TakenTransition } from "../../../../trace/index.ts";
import { shortened } from "../../text/index.ts";

export interface RowsTakenProps {
  readonly microsteps: readonly Microstep[];
}

/** Why it went this way: the rows of the machine's table that an event took, one after the other. */
export function RowsTaken({ microsteps }: RowsTakenProps) {
  return (
    <section className="sb-group sb-rows-taken" aria-label="Rows taken">
      <h4>rows of the table that this event took</h4>
      {microsteps.length === 0 ? (
        <span className="sb-none">none</span>
      ) : (
        <ol>
          {microsteps.map((microstep, at) => (
            <Step key={keyOf(microsteps, at)} {...microstep} />
          ))}
        </ol>
      )}
    </section>
  );
}

/** Steps have no names of their own, and never change their order. */
const keyOf = (microsteps: readonly Microstep[], at: number): string => `${at} ${microsteps[at]?.event}`;

function Step({ transitions, actions }: Microstep) {
  return (
    <li>
      {transitions.map((row) => (
        <p key={`${row.source} ${row.event}`}>
          <code>{shortened(row.source, 60)}</code>{" "}
          <b>{row.event === "" ? "by itself" : shortened(row.event, 60)}</b>
          {row.guard === undefined ? null : <> [{shortened(row.guard, 80)}]</>} →{" "}
          <code>{targetsOf(row)}</code>
        </p>
      ))}
      {actions.length === 0 ? null : <p className="sb-actions">{shortened(actions.join(", "), 400)}</p>}
    </li>
  );
}

const targetsOf = ({ targets }: TakenTransition): string =>
  targets.length === 0 ? "stays" : shortened(targets.join(", "), 120);
