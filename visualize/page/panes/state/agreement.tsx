import { topState } from "../../../../machines/message/states.ts";
import type { Moment } from "../../../trace/moment.ts";
import { RULES } from "../../model/rules.ts";
import { StateBadge } from "../../shell/state-badge.tsx";

export interface AgreementProps {
  readonly moment: Moment;
  /** Whether the process of the task ended here. */
  readonly hasEnded: boolean;
  /** Whether no machine ran: the task is a session of another agent, and its state is only derived. */
  readonly isDerived: boolean;
}

/** The state from the messages with its rule, the state of the machine, and whether they agree (L1). */
export function Agreement({ moment, hasEnded, isDerived }: AgreementProps) {
  const { derived, rule, state } = moment;
  const agrees = derived.state === topState(state);
  return (
    <section
      className="sb-agreement"
      data-agrees={agrees}
      data-ended={hasEnded ? "" : undefined}
      aria-label={hasEnded ? "State when the process ended" : "State"}
    >
      <div>
        <h4>{hasEnded ? "from the messages, at the last event" : "from the messages"}</h4>
        <StateBadge state={derived.state} />
        <p>
          <b className="sb-rule-name">{rule}</b> {RULES[rule]}
        </p>
      </div>
      {!isDerived && (
        <>
          <span className="sb-sign" role="img" aria-label={agrees ? "they agree" : "they differ"} title="L1">
            {agrees ? "=" : "≠"}
          </span>
          <div>
            <h4>{hasEnded ? "from the machine, at the last event" : "from the machine"}</h4>
            <StateBadge state={topState(state)} path={state} />
            <p>{agreement(agrees, hasEnded)}</p>
          </div>
        </>
      )}
    </section>
  );
}

/** Whether both states agree (L1), or did so at the end of the process. */
function agreement(agrees: boolean, hasEnded: boolean): string {
  if (!agrees) return hasEnded ? "L1 was broken" : "L1 is broken";
  return hasEnded ? "L1 held" : "L1 holds";
}
