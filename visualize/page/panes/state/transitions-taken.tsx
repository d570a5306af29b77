import type { Microstep, TakenTransition } from "../../../trace/trace-event.ts";
import { shortened } from "../../text/printable.ts";

/** The transitions that an event took, in order. */
export function TransitionsTaken({ microsteps }: { readonly microsteps: readonly Microstep[] }) {
  return (
    <section className="sb-group sb-transitions" aria-label="Transitions taken">
      <h4>transitions taken by this event</h4>
      {microsteps.length === 0 ? (
        <span className="sb-empty">none</span>
      ) : (
        <ol>
          {microsteps.map((microstep, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: microsteps have no ids and never change their order
            <Step key={at} {...microstep} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Step({ transitions, actions }: Microstep) {
  return (
    <li>
      {transitions.map((transition) => (
        <p key={`${transition.source} ${transition.event}`}>
          <code>{shortened(transition.source, 60)}</code>{" "}
          <b>{transition.event === "" ? "always" : shortened(transition.event, 60)}</b>
          {transition.guard === undefined ? null : <> [{shortened(transition.guard, 80)}]</>} →{" "}
          <code>{targetsOf(transition)}</code>
        </p>
      ))}
      {actions.length === 0 ? null : <p className="sb-actions">{shortened(actions.join(", "), 400)}</p>}
    </li>
  );
}

const targetsOf = ({ targets }: TakenTransition): string =>
  targets.length === 0 ? "stays" : shortened(targets.join(", "), 120);
