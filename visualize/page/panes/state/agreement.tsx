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
  /** The law that the event broke. */
  readonly broken: string | undefined;
}

/** The state from the messages with its rule, the state of the machine, and whether they agree (L1). */
export function Agreement({ moment, hasEnded, isDerived, broken }: AgreementProps) {
  const { derived, rule, state } = moment;
  const sign = signOf(derived.state === topState(state), broken);
  return (
    <section
      className="sb-agreement"
      data-agrees={sign.isFine}
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
          <span className="sb-sign" role="img" aria-label={sign.words} title={sign.words}>
            {sign.glyph}
          </span>
          <div>
            <h4>{hasEnded ? "from the machine, at the last event" : "from the machine"}</h4>
            <StateBadge state={topState(state)} path={state} />
            {!sign.isFine && <p className="sb-broken">{sign.words}</p>}
          </div>
        </>
      )}
    </section>
  );
}

/** The sign between both states: of the law that the event broke, or else of L1. */
function signOf(agrees: boolean, broken: string | undefined) {
  if (!agrees) return { glyph: "≠", words: "L1 is broken: they differ", isFine: false };
  if (broken !== undefined) return { glyph: "✗", words: `${broken} is broken`, isFine: false };
  return { glyph: "=", words: "they agree (L1)", isFine: true };
}
