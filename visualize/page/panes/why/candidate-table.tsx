import type { Candidate, ExplainedStep } from "../../../../wire/http/explanation.ts";
import { shortened } from "../../text/printable.ts";

/** A verdict in words and as a glyph. */
const VERDICTS = {
  taken: { glyph: "✓", words: "taken" },
  passes: { glyph: "·", words: "not tried: an earlier one was taken" },
  fails: { glyph: "✗", words: "its guard failed" },
  unknown: { glyph: "?", words: "not known" },
} as const satisfies Readonly<Record<Candidate["verdict"], unknown>>;

interface CandidateTableProps {
  readonly step: ExplainedStep;
  /** The type of the event of the macrostep. */
  readonly event: string;
}

/** The candidates of one microstep, in the order in which they are tried, with the values that their guards read. */
export function CandidateTable({ step: { state, event, candidates }, event: cause }: CandidateTableProps) {
  return (
    <table className="why-table">
      <caption>
        in <code>{shortened(state, 80)}</code> {event === "" ? "without an event" : `on ${cause}`}
      </caption>
      <thead className="sb-visually-hidden">
        <tr>
          <th scope="col">Verdict</th>
          <th scope="col">Guard, and the values that it read</th>
          <th scope="col">Target</th>
        </tr>
      </thead>
      <tbody>
        {candidates.length === 0 && (
          <tr>
            <td />
            <td colSpan={2}>No transition: the event changes nothing here.</td>
          </tr>
        )}
        {candidates.map((candidate, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: candidates are identified by position
          <Row key={position} {...candidate} own={state} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ state, guard, targets, verdict, reads, missing, own }: Candidate & { readonly own: string }) {
  const { glyph, words } = VERDICTS[verdict];
  return (
    <tr data-verdict={verdict}>
      <td>
        <span role="img" aria-label={words} title={words}>
          {glyph}
        </span>
      </td>
      <th scope="row">
        <code>{guard ?? "always"}</code>
        {state !== own && <span className="sb-dim"> of {shortened(state, 60)}</span>}
        <ul className="why-reads">
          {reads
            .filter(({ path }) => path !== "event.type")
            .map(({ path, value }) => (
              <li key={path}>
                <code>{shortened(path, 60)}</code> = <code>{shortened(value, 90)}</code>
              </li>
            ))}
          {missing !== undefined && (
            <li>
              <code>{shortened(missing, 60)}</code> is in no journal
            </li>
          )}
        </ul>
      </th>
      <td>{targets.length === 0 ? "stays" : <code>→ {shortened(targets.join(", "), 80)}</code>}</td>
    </tr>
  );
}
