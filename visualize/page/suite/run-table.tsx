// biome-ignore-all lint/a11y: a table whose rows are placed one by one has the roles of a table
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import { plural } from "../../../present/plural.ts";
import type { SuiteReport, SuiteRun } from "../../../wire/http/suite.ts";
import { grouped } from "../model/format.ts";
import { QueryField } from "../shell/tasks/query-field.tsx";
import { shortened } from "../text/printable.ts";
import { RUN_COLUMNS, type RunColumn } from "./run-columns.ts";
import { parseRunQuery } from "./run-query.ts";

export interface RunTableProps extends Pick<SuiteReport, "runs" | "flaggedShare"> {
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** Open the trajectory of a run. Undefined: none can be opened. */
  readonly onOpen: ((run: number) => void) | undefined;
}

const ROW_PX = 44;
const OVERSCAN = 12;
const INITIAL_RECT = { width: 1_280, height: 480 };
const TEMPLATE = RUN_COLUMNS.map(({ width }) => width).join(" ");

/** A run with its index in the suite. */
type IndexedRun = readonly [run: SuiteRun, index: number];

/** The runs of a suite with a query. Only the visible rows are rendered; a click opens the trajectory of a run. */
export function RunTable({ runs, flaggedShare, query, onQuery, onOpen }: RunTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [order, setOrder] = useState({ by: 0, isAscending: true });
  const filter = useMemo(() => parseRunQuery(query), [query]);
  const problem = typeof filter === "string" ? filter : undefined;
  const shown = useMemo(() => sorted(runs, filter, order), [runs, filter, order]);
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    initialRect: INITIAL_RECT,
    scrollPaddingStart: ROW_PX,
  });
  return (
    <section className="sb-runs" aria-label="Runs">
      <h2>
        {shown.length === runs.length
          ? grouped(runs.length)
          : `${grouped(shown.length)} of ${grouped(runs.length)}`}{" "}
        runs
      </h2>
      <QueryField
        query={query}
        problem={problem}
        label="Search the runs"
        placeholder="Search: missed, protocol:trusted, score>0.5"
        onQuery={onQuery}
      />
      <p className="sb-dim">
        {`Caught and missed are at a flagged share of ${flaggedShare * 100} %. ${logSentence(runs, onOpen)}`}
      </p>
      <div
        ref={scroller}
        role="table"
        className="sb-run-table"
        aria-rowcount={shown.length + 1}
        tabIndex={0}
        aria-label="Runs"
      >
        <div role="rowgroup" className="sb-run-head">
          <div role="row" style={{ gridTemplateColumns: TEMPLATE }}>
            {RUN_COLUMNS.map((column, by) => (
              <Head
                key={column.head}
                column={column}
                order={order.by === by ? order.isAscending : undefined}
                onOrder={(isAscending) => setOrder({ by, isAscending })}
              />
            ))}
          </div>
        </div>
        <div role="rowgroup" className="sb-run-body" style={{ height: `${virtualizer.getTotalSize()}px` }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const [run, at] = shown[index] ?? [];
            if (run === undefined || at === undefined) return null;
            return (
              <div
                key={at}
                role="row"
                aria-rowindex={index + 2}
                data-outcome={run.outcome ?? run.mode}
                style={{ transform: `translateY(${start}px)`, gridTemplateColumns: TEMPLATE }}
              >
                <Cells run={run} onOpen={onOpen && run.hasLog ? () => onOpen(at) : undefined} />
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}

function logSentence(runs: readonly SuiteRun[], onOpen: RunTableProps["onOpen"]): string {
  const logs = runs.filter(({ hasLog }) => hasLog).length;
  if (onOpen === undefined || logs === 0)
    return "No run can be opened: signalbox control run --export inspect writes their logs.";
  return `${plural(logs, "run")} can be opened.`;
}

function sorted(
  runs: readonly SuiteRun[],
  filter: ReturnType<typeof parseRunQuery>,
  order: { readonly by: number; readonly isAscending: boolean },
): readonly IndexedRun[] {
  const indexed = runs.map((run, index): IndexedRun => [run, index]);
  const matching = typeof filter === "string" ? indexed : indexed.filter(([run]) => filter(run));
  const sortBy = RUN_COLUMNS[order.by]?.sortBy ?? (() => 0);
  const direction = order.isAscending ? 1 : -1;
  return matching.toSorted(([one], [other]) => {
    const [a, b] = [sortBy(one), sortBy(other)];
    return a === b ? 0 : (a < b ? -1 : 1) * direction;
  });
}

interface HeadProps {
  readonly column: RunColumn;
  /** Whether the order by it is ascending. Undefined: the rows are in another order. */
  readonly order: boolean | undefined;
  readonly onOrder: (isAscending: boolean) => void;
}

function Head({ column: { head, about, isNumber }, order, onOrder }: HeadProps) {
  return (
    <span
      role="columnheader"
      data-number={isNumber}
      aria-sort={order === undefined ? undefined : order ? "ascending" : "descending"}
    >
      <button
        type="button"
        title={about}
        onClick={() => onOrder(order === undefined ? isNumber !== true : !order)}
      >
        {head}
        {order !== undefined && <i aria-hidden="true">{order ? " ↑" : " ↓"}</i>}
      </button>
    </span>
  );
}

interface CellsProps {
  readonly run: SuiteRun;
  /** Undefined: the run has no log. */
  readonly onOpen: (() => void) | undefined;
}

function Cells({ run, onOpen }: CellsProps) {
  return RUN_COLUMNS.map(({ head, text, isNumber }, index) => {
    const shown = shortened(text(run), 120);
    return (
      <span key={head} role="cell" title={shown} data-number={isNumber}>
        {index === 0 && onOpen !== undefined ? (
          <button type="button" className="sb-link" onClick={onOpen}>
            {shown}
          </button>
        ) : (
          shown
        )}
      </span>
    );
  });
}
