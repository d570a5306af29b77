import type { SuiteReport } from "../../../wire/http/suite.ts";
import { LabTable } from "../lab/lab-table.tsx";
import { shortened } from "../text/printable.ts";
import { RunTable, type RunTableProps } from "./run-table.tsx";
import "./runs.css";

export interface SuiteViewProps extends Pick<RunTableProps, "query" | "onQuery" | "onOpen"> {
  readonly suite: SuiteReport;
}

/** A measured control suite: its tables, its runs and its plots. */
export function SuiteView({ suite, ...runs }: SuiteViewProps) {
  const { tables, plots, notes, columns, limits } = suite;
  return (
    <main className="sb-suite" aria-label="Control suite">
      <p>
        <strong>{limits}</strong>
      </p>
      {notes.map((note) => (
        <p key={note}>{shortened(note, NOTE_MAX_CHARS)}</p>
      ))}
      {tables.map((table) => (
        <LabTable
          key={table.title}
          title={table.title}
          heads={table.heads}
          rows={table.rows.map((cells) => ({ key: cells[0] ?? "", cells }))}
        />
      ))}
      <details className="sb-suite-columns">
        <summary>Meaning of the columns</summary>
        <p className="sb-dim">{columns}</p>
      </details>
      <RunTable {...suite} {...runs} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the focus of the keyboard. */}
      <section className="sb-suite-plots" aria-label="Plots" tabIndex={0}>
        {plots.map(({ name, title, svg }) => (
          // An image runs no script, whatever the names of protocols contain.
          <img key={name} src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={title} />
        ))}
      </section>
    </main>
  );
}

const NOTE_MAX_CHARS = 2_000;
