import type { ReactNode } from "react";
import { shortened } from "../text/printable.ts";

export interface LabRow {
  readonly key: string;
  /** As many as heads; the first names the row. */
  readonly cells: readonly string[];
  /** Whether the row stands out. */
  readonly mark?: "bad" | "unseen";
}

/** A longer text is wrapped. */
const LONG_CHARS = 40;

interface LabTableProps {
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly LabRow[];
  /** Below the table. */
  readonly children?: ReactNode;
}

/** A table of texts that scrolls in its own region. */
export function LabTable({ title, heads, rows, children }: LabTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the focus of the keyboard.
    <section className="sb-suite-table" aria-label={title} tabIndex={0}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            {heads.map((head, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have equal heads, and none moves.
              <th key={index} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [name = "", ...cells], mark }) => (
            <tr key={key} data-mark={mark}>
              <th scope="row">{shortened(name)}</th>
              {cells.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other identity.
                <td key={index} data-long={cell.length > LONG_CHARS || undefined}>
                  {shortened(cell, 400)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </section>
  );
}
