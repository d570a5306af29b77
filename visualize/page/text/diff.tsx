import { type ReactNode, useState } from "react";
import { addedLines, type DiffLine, diffLines } from "./diff-lines.ts";
import { More, Plain } from "./plain.tsx";

/** The lines of a diff that are shown at once. */
export const DIFF_MAX_LINES = 200;
/** The length of one line that is shown at once, in UTF-16 units. */
const LINE_MAX_CHARS = 1_000;

const SIGNS = { added: "+", removed: "-", same: " ", head: "" } as const;

export interface DiffProps {
  /** A unified diff, search/replace blocks, or with `isNew` a whole file. */
  readonly diff: string;
  readonly isNew?: boolean;
}

/** A diff, with a sign for each line besides its colour. */
export function Diff({ diff, isNew = false }: DiffProps): ReactNode {
  const [shown, setShown] = useState(DIFF_MAX_LINES);
  const lines = isNew ? addedLines(diff) : diffLines(diff);
  const left = lines.length - shown;
  return (
    <div className="text-diff">
      <table>
        <tbody>{lines.slice(0, shown).map(toRow)}</tbody>
      </table>
      {left > 0 && <More left={left} of="lines" onMore={() => setShown(shown * 4)} />}
    </div>
  );
}

function toRow(line: DiffLine, index: number): ReactNode {
  return (
    <tr key={index} className={`text-diff-${line.kind}`}>
      <td className="text-diff-number">{line.before}</td>
      <td className="text-diff-number">{line.after}</td>
      <td className="text-diff-sign">{SIGNS[line.kind]}</td>
      <td>
        <Plain text={line.text} maxChars={LINE_MAX_CHARS} />
      </td>
    </tr>
  );
}
