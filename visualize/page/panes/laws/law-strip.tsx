import { plural } from "../../../../present/plural.ts";
import type { Counterexample } from "../../../trace/counterexample.ts";
import { type CheckedLaws, type LawStatus, lawStatuses } from "../../model/laws.ts";
import { shortened } from "../../text/printable.ts";
import "./laws.css";

const GLYPHS = { holds: "✓", broken: "✗", checking: "…", unchecked: "–" } as const satisfies Readonly<
  Record<LawStatus["status"], string>
>;

/** The words for a status. The laws of a task whose process ended are checked up to its end. */
const wordsOf = (status: LawStatus["status"], hasEnded: boolean): string =>
  ({
    holds: hasEnded ? "held" : "holds",
    broken: "broken",
    checking: "still being checked",
    unchecked: "not checkable here",
  })[status];

export interface LawStripProps {
  readonly laws: CheckedLaws;
  readonly counterexample: Counterexample | undefined;
  /** Whether no machine ran: the task is a session of another agent. */
  readonly isDerived: boolean;
  /** Whether the task's process ended while the task worked. */
  readonly hasEnded: boolean;
  readonly onGo: (seq: number) => void;
}

/** The laws that a trace is checked against, each with its status. A broken one leads to the event that broke it first. */
export function LawStrip({ laws, counterexample, isDerived, hasEnded, onGo }: LawStripProps) {
  const statuses = lawStatuses(laws, { counterexample, isDerived });
  return (
    <section className="laws" aria-label="Laws">
      <p className="laws-row">
        <b className="laws-summary">{summaryOf(statuses, hasEnded)}</b>
        {statuses.map((law) => (
          <Chip key={law.id} {...law} words={wordsOf(law.status, hasEnded)} onGo={onGo} />
        ))}
      </p>
      <details>
        <summary>Statements and facts</summary>
        <ul className="laws-list">
          {statuses.map(({ id, name, title, status, fact }) => (
            <li key={id} data-status={status}>
              <b>
                {id} {name}
              </b>{" "}
              {wordsOf(status, hasEnded)}: {shortened(title, 400)}{" "}
              <span className="sb-dim">({shortened(fact, 400)})</span>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}

interface ChipProps extends LawStatus, Pick<LawStripProps, "onGo"> {
  readonly words: string;
}

function Chip({ id, title, status, events, words, onGo }: ChipProps) {
  const [first] = events;
  const text = (
    <>
      <span aria-hidden="true">{GLYPHS[status]}</span> {id}
    </>
  );
  const hint = shortened(`${id} ${words}: ${title}`, 400);
  if (first === undefined)
    return (
      <span className="laws-chip" data-status={status} title={hint}>
        {text} <span className="sb-visually-hidden">{words}</span>
      </span>
    );
  return (
    <button type="button" className="laws-chip" data-status={status} title={hint} onClick={() => onGo(first)}>
      {text} broken {events.length > 1 ? `${events.length} times, first ` : ""}in event {first}
    </button>
  );
}

function summaryOf(statuses: readonly LawStatus[], hasEnded: boolean): string {
  const count = (status: LawStatus["status"]): number =>
    statuses.filter((law) => law.status === status).length;
  if (count("checking") > 0) return "The laws are being checked …";
  const checked = statuses.length - count("unchecked");
  if (checked === 0) return "No law is checkable yet";
  return `${count("holds")} of ${plural(checked, "law")} ${hasEnded ? "held" : "hold"}`;
}
