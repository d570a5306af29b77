import type { VerifiedTransition } from "../../../wire/http/verification.ts";
import { grouped } from "../model/format.ts";
import { type LabRow, LabTable } from "./lab-table.tsx";

interface TransitionCountsProps {
  readonly title: string;
  readonly transitions: readonly VerifiedTransition[];
  /** Show the transitions of all states. Undefined: they are shown. */
  readonly onAll?: (() => void) | undefined;
}

/** How often each transition was taken: the ones that were not taken first, then the ones that no recorded task took. */
export function TransitionCounts({ title, transitions, onAll }: TransitionCountsProps) {
  const hasRecorded = transitions.some(({ recorded }) => recorded !== undefined);
  const taken = transitions.filter(({ explored }) => explored > 0).length;
  const rows = transitions.toSorted((one, other) => rankOf(one) - rankOf(other));
  return (
    <LabTable
      title={`${title}: ${taken} of ${transitions.length} taken`}
      heads={["Event", "Explored", ...(hasRecorded ? ["Recorded"] : []), "Guard", "From", "To"]}
      rows={rows.map((row) => rowOf(row, hasRecorded))}
    >
      {onAll !== undefined && (
        <button type="button" onClick={onAll}>
          Transitions of all states
        </button>
      )}
    </LabTable>
  );
}

const isUnseen = ({ recorded }: VerifiedTransition): boolean =>
  recorded !== undefined && recorded.times + recorded.perhaps === 0;

const rankOf = (transition: VerifiedTransition): number =>
  transition.explored === 0 ? 0 : isUnseen(transition) ? 1 : 2;

function rowOf(transition: VerifiedTransition, hasRecorded: boolean): LabRow {
  const { source, event, guard, target, explored } = transition;
  const mark = explored === 0 ? "bad" : isUnseen(transition) ? "unseen" : undefined;
  return {
    key: [source, event, guard, target].join("\n"),
    cells: [
      event,
      explored === 0 ? "not taken" : grouped(explored),
      ...(hasRecorded ? [recordedText(transition)] : []),
      guard,
      source,
      target || "stays",
    ],
    ...(mark !== undefined && { mark }),
  };
}

function recordedText({ recorded }: VerifiedTransition): string {
  if (recorded === undefined) return "not counted";
  const { times, perhaps } = recorded;
  if (times + perhaps === 0) return "never";
  const parts = [...(times > 0 ? [grouped(times)] : []), ...(perhaps > 0 ? [`or ${grouped(perhaps)}`] : [])];
  return parts.join(", ");
}
