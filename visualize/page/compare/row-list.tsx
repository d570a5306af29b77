import { useMemo, useState } from "react";
import { plural } from "../../../present/plural.ts";
import { costText, duration } from "../model/format.ts";
import { PagedList } from "../panes/list/paged-list.tsx";
import { Short } from "../text/plain.tsx";
import { foldedRows, type Row, type ShownRow } from "./aligned-rows.ts";
import type { Step } from "./steps.ts";

/** Rows that are rendered at once. */
const SIZE = 120;
/** Maximum characters of a step's content that are shown. */
const TEXT_CHARS_MAX = 240;

interface RowListProps {
  readonly rows: readonly Row[];
  readonly at: number;
  readonly onGo: (seq: number) => void;
  readonly onOther: (seq: number) => void;
}

/** The steps of two tasks in aligned rows, with the same ones folded. */
export function RowList({ rows, at, onGo, onOther }: RowListProps) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const shown = useMemo(() => foldedRows(rows, opened), [rows, opened]);
  const current = positionAt(rows, at);
  const focus = Math.max(
    0,
    shown.findLastIndex(({ position }) => position <= current),
  );
  return (
    <PagedList
      label="Compared steps"
      of="steps"
      length={shown.length}
      focus={focus}
      size={SIZE}
      at={at}
      none="Neither task has a step."
      item={(index) => {
        const item = shown[index];
        if (item === undefined) return null;
        const isCurrent = index === focus;
        return "folded" in item ? (
          <Fold
            key={item.position}
            item={item}
            isCurrent={isCurrent}
            onOpen={() => setOpened(new Set([...opened, item.position]))}
          />
        ) : (
          <CompareRow
            key={item.position}
            row={item.row}
            isCurrent={isCurrent}
            onGo={onGo}
            onOther={onOther}
          />
        );
      }}
    />
  );
}

/** The position of the last row whose step of this task began by event `at`. */
const positionAt = (rows: readonly Row[], at: number): number =>
  rows.findLastIndex(({ mine }) => mine !== undefined && mine.seq <= at);

interface FoldProps {
  readonly item: Extract<ShownRow, { folded: number }>;
  readonly isCurrent: boolean;
  readonly onOpen: () => void;
}

function Fold({ item: { folded, position }, isCurrent, onOpen }: FoldProps) {
  return (
    <li className="compare-fold" {...(isCurrent && { "data-marked": "" })}>
      <button type="button" className="sb-quiet" onClick={onOpen}>
        {position === 0 ? "The first " : ""}
        {plural(folded, "same step")}
      </button>
    </li>
  );
}

const MARKS = {
  same: { glyph: "=", words: "same" },
  changed: { glyph: "≠", words: "changed" },
} as const;

interface CompareRowProps extends Pick<RowListProps, "onGo" | "onOther"> {
  readonly row: Row;
  readonly isCurrent: boolean;
}

function CompareRow({ row: { mark, mine, other }, isCurrent, onGo, onOther }: CompareRowProps) {
  const { glyph, words } =
    mark !== "only"
      ? MARKS[mark]
      : mine === undefined
        ? { glyph: "+", words: "only in the other task" }
        : { glyph: "−", words: "only in this task" };
  return (
    <li
      className="compare-row"
      data-mark={mark}
      aria-current={isCurrent}
      {...(isCurrent && { "data-marked": "" })}
    >
      <Cell step={mine} name="This task" onGo={onGo} />
      <span className="compare-mark" role="img" aria-label={words} title={words}>
        {glyph}
      </span>
      <Cell step={other} name="The other task" onGo={onOther} />
    </li>
  );
}

interface CellProps {
  readonly step: Step | undefined;
  readonly name: string;
  readonly onGo: (seq: number) => void;
}

function Cell({ step, name, onGo }: CellProps) {
  if (step === undefined) return <span className="compare-none" />;
  const { kind, title, text, seq, cost, ms } = step;
  const measures = [cost === undefined ? "" : costText(cost), ms === undefined ? "" : duration(ms)];
  return (
    <button
      type="button"
      className="compare-step"
      data-kind={kind}
      title={`${name}, event ${seq}`}
      onClick={() => onGo(seq)}
    >
      <span className="compare-title">
        <b>
          <Short text={title} maxChars={120} />
        </b>
        <span className="sb-num sb-dim">{measures.filter((part) => part !== "").join(" · ")}</span>
      </span>
      {text !== "" && (
        <span className="compare-text">
          <Short text={text} maxChars={TEXT_CHARS_MAX} />
        </span>
      )}
    </button>
  );
}
