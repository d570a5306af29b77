import { canHold, HoldButton } from "../../actions/hold-button.tsx";
import type { Holds } from "../../actions/use-breakpoints.ts";
import { grouped } from "../../model/format.ts";
import type { RowSum, TransitionRow } from "../../model/transition-rows.ts";
import { shortened } from "../../text/printable.ts";
import { inferredText } from "./count-text.ts";

interface TransitionTableProps {
  /** The state whose transitions these are. */
  readonly path: string;
  readonly rows: readonly TransitionRow[];
  /** The breakpoints that a click sets. Undefined: the task can't be held. */
  readonly holds: Holds | undefined;
  readonly onGo: (seq: number) => void;
}

/** Transitions with event, guard and target, and how often each was taken; the count goes to the event that took it last. */
export function TransitionTable({ path, rows, holds, onGo }: TransitionTableProps) {
  const taken = rows.flatMap((row) => row.taken ?? []);
  const isInferred = taken.length > 0 && taken.every(({ times, inferred }) => times === inferred);
  return (
    <>
      <table className="sb-transitions">
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col">Guard</th>
            <th scope="col">Target</th>
            <th scope="col">Taken</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ source, target, row, taken }) => (
            <tr
              key={`${source} ${row.event} ${row.guard ?? ""} ${target}`}
              className={taken === undefined ? "is-possible" : ""}
            >
              <td>
                {holds !== undefined && canHold(row.event) ? (
                  <HoldButton
                    holds={holds}
                    place={{ type: row.event, state: source }}
                    name={`Hold ${row.event} in ${source}`}
                    text={shortened(row.event, 80)}
                  />
                ) : (
                  shortened(row.event || "always", 80)
                )}
              </td>
              <td>{row.guard !== undefined && shortened(row.guard, 80)}</td>
              <td>
                {source !== path && <span className="sb-dim">{nameIn(path, source)} → </span>}
                {nameIn(path, target)}
              </td>
              <td>{taken !== undefined && <Taken sum={taken} namesInferred={!isInferred} onGo={onGo} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {isInferred && <p>All counts are inferred: the trace has no microsteps of these events.</p>}
    </>
  );
}

/** A state's path without the top-level state that it shares with the state of the table. */
function nameIn(path: string, state: string): string {
  const [top = ""] = path.split(".");
  return shortened(state.startsWith(`${top}.`) ? state.slice(top.length + 1) : state, 80);
}

interface TakenProps {
  readonly sum: RowSum;
  readonly namesInferred: boolean;
  readonly onGo: (seq: number) => void;
}

function Taken({ sum, namesInferred, onGo }: TakenProps) {
  const { times, inferred, lastAt, among } = sum;
  return (
    <>
      <button
        type="button"
        className="sb-link sb-num"
        title={`last taken at event ${lastAt}`}
        onClick={() => onGo(lastAt)}
      >
        ×{grouped(times)}, last {lastAt}
      </button>
      {among > 1 && <span> by one of {among} rows</span>}
      {namesInferred && inferred > 0 && <span> {inferredText(inferred, times)}</span>}
    </>
  );
}
