import type { ReactNode } from "react";
import type { SuiteReport } from "../../../wire/http/suite.ts";
import { shortened } from "../text/printable.ts";

interface SuiteViewProps {
  readonly suite: SuiteReport | undefined;
  readonly children: ReactNode;
}

/** A measured control suite. Without one: the children. */
export const SuiteView = ({ suite, children }: SuiteViewProps) =>
  suite === undefined ? children : <Suite {...suite} />;

function Suite({ tables, plots, notes, columns, limits }: SuiteReport) {
  return (
    <main className="sb-suite" aria-label="Control suite">
      <p>
        <strong>{limits}</strong>
      </p>
      {notes.map((note) => (
        <p key={note}>{shortened(note, NOTE_MAX_CHARS)}</p>
      ))}
      {tables.map((table) => (
        <SuiteTable key={table.title} {...table} />
      ))}
      <p className="sb-dim">{columns}</p>
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

function SuiteTable({ title, heads, rows }: SuiteReport["tables"][number]) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the focus of the keyboard.
    <section className="sb-suite-table" aria-label={title} tabIndex={0}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            {heads.map((head, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns have equal heads, and none moves.
              <th key={index} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name = "", ...cells]) => (
            <tr key={name}>
              <th scope="row">{shortened(name)}</th>
              {cells.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other identity.
                <td key={index}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
