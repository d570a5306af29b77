import { Fragment, useMemo } from "react";
import type { TaskInfo } from "../../../wire/http/api.ts";
import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import type { LoadedTrace } from "../shell/use-trace.ts";
import { shortened } from "../text/printable.ts";
import { alignedRows, type Row } from "./aligned-rows.ts";
import { RowList } from "./row-list.tsx";
import { type Step, stepsOf } from "./steps.ts";
import { totalsOf } from "./totals.ts";
import "./compare.css";

export interface CompareProps {
  readonly loaded: LoadedTrace;
  readonly other: LoadedTrace | undefined;
  readonly tasks: readonly TaskInfo[];
  readonly comparedWith: string | undefined;
  readonly at: number;
  readonly onGo: (seq: number) => void;
  readonly onComparedWith: (taskId: string | undefined) => void;
  /** Show the other task at one of its events, and compare it with this one. */
  readonly onOther: (seq: number) => void;
}

/** Two tasks side by side, step by step. */
export function Compare({ loaded, other, tasks, comparedWith, ...shown }: CompareProps) {
  const { trace } = loaded;
  const steps = useSteps(trace);
  const otherSteps = useSteps(other?.trace);
  const rows = useMemo(
    () => (otherSteps === undefined ? undefined : alignedRows(steps ?? [], otherSteps)),
    [steps, otherSteps],
  );
  const others = tasks.filter(({ id }) => id !== trace.taskId);
  return (
    <section className="sb-pane compare-pane" aria-label="Compare">
      <header className="sb-bar-head">
        <h3>Compare with</h3>
        <select
          value={comparedWith ?? ""}
          aria-label="The other task"
          onChange={({ target }) => shown.onComparedWith(target.value || undefined)}
        >
          <option value="">Choose a task</option>
          {others.map(({ id, title }) => (
            <option key={id} value={id}>
              {shortened(title, 60)} · {shortened(id, 60)}
            </option>
          ))}
        </select>
        {rows !== undefined && <Difference rows={rows} {...shown} />}
      </header>
      {rows === undefined || other === undefined ? (
        <p className="sb-empty">
          {others.length === 0
            ? "There is no other task."
            : comparedWith === undefined
              ? "Choose the other task above."
              : "Loading the other task …"}
        </p>
      ) : (
        <>
          <Totals
            {...{ trace, steps: steps ?? [] }}
            other={{ trace: other.trace, steps: otherSteps ?? [] }}
          />
          <RowList key={`${trace.taskId} ${other.trace.taskId}`} rows={rows} {...shown} />
        </>
      )}
    </section>
  );
}

const useSteps = (trace: TraceSnapshot | undefined): readonly Step[] | undefined =>
  useMemo(() => (trace === undefined ? undefined : stepsOf(trace)), [trace]);

type Places = Pick<CompareProps, "onGo" | "onOther">;

/** How much differs, and a link to the first step that does. */
function Difference({ rows, onGo, onOther }: Places & { readonly rows: readonly Row[] }) {
  const first = rows.find(({ mark }) => mark !== "same");
  if (first === undefined) return <span>No difference.</span>;
  const { mine, other } = first;
  const count = (fits: (row: Row) => boolean): number => rows.filter(fits).length;
  return (
    <>
      <button
        type="button"
        className="sb-link"
        onClick={() => (mine !== undefined ? onGo(mine.seq) : onOther(other?.seq ?? 0))}
      >
        First difference
      </button>
      <span className="sb-dim">
        {count(({ mark }) => mark === "same")} same, {count(({ mark }) => mark === "changed")} changed,{" "}
        {count((row) => row.other === undefined)} only in this task, {count((row) => row.mine === undefined)}{" "}
        only in the other
      </span>
    </>
  );
}

interface Side {
  readonly trace: TraceSnapshot;
  readonly steps: readonly Step[];
}

function Totals({ trace, steps, other }: Side & { readonly other: Side }) {
  const totals = useMemo(() => totalsOf({ trace, steps }, other), [trace, steps, other]);
  return (
    <div className="compare-totals">
      {(["mine", "other"] as const).map((side) => (
        <p key={side}>
          {side === "mine" ? "This task: " : "The other task: "}
          {totals.map((total, position) => (
            <Fragment key={total.name}>
              {position > 0 && " · "}
              <span title={total.name} data-mark={total.mine === total.other ? "same" : "changed"}>
                {shortened(total[side], 60)}
              </span>
            </Fragment>
          ))}
        </p>
      ))}
    </div>
  );
}
