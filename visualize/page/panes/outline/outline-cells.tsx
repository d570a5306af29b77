import { memo } from "react";
import type { TaskInfo } from "../../../../wire/http/api.ts";
import { dollars, duration } from "../../model/format.ts";
import { type Mark, type OutlineRow, rowDuration, rowMarks, rowText, turnCost } from "../../model/outline.ts";
import { statusOf } from "../../model/status.ts";
import { numberIn } from "../../model/subtask-rows.ts";
import { Short } from "../../text/plain.tsx";
import { shortened } from "../../text/printable.ts";

/** The most characters of a row's text: what does not fit is cut off by the style. */
const TEXT_CHARS_MAX = 120;
const NUMBER_CHARS_MAX = 40;

export interface OutlineCellsProps {
  readonly row: OutlineRow;
  /** The end time of what is open after the newest event. */
  readonly now: number;
  readonly tasks: readonly TaskInfo[];
}

/** A row of the outline: its text, its marks, how long it lasted, and its cost. */
export const OutlineCells = memo(function OutlineCells({ row, now, tasks }: OutlineCellsProps) {
  const { kind, call, turn } = row;
  const { index } = row.trace;
  const isTask = kind === "task";
  const child = isTask ? tasks.find(({ id }) => id === call?.child) : undefined;
  const text = isTask ? child?.title || call?.child || "" : rowText(row);
  const marks = [...(child === undefined ? [] : marksOfTask(child)), ...rowMarks(row)];
  // The row of the call above has the duration of its subtask.
  const lasted = isTask ? undefined : rowDuration(row, now);
  const cost = child === undefined ? (kind === "turn" ? turnCost(turn, index) : undefined) : child.cost;
  return (
    <>
      <span className="outline-fold" aria-hidden="true">
        {row.isUnfolded === undefined ? "" : row.isUnfolded ? "▾" : "▸"}
      </span>
      <span className="outline-text">
        {kind === "turn" && index.turns[turn]?.by === "person" && <b>You: </b>}
        {isTask && <b>{shortened(`Subtask ${numberOf(row)}`, NUMBER_CHARS_MAX)}: </b>}
        <Short text={text} maxChars={TEXT_CHARS_MAX} />
      </span>
      {marks.map(({ word, tone }) => (
        <span key={word} className="outline-mark" data-tone={tone}>
          {word}
        </span>
      ))}
      {lasted !== undefined && <span className="outline-number">{duration(Math.max(0, lasted))}</span>}
      {typeof cost === "number" && cost > 0 && (
        <span className="outline-number outline-cost">{dollars(cost)}</span>
      )}
    </>
  );
});

/** The number of the subtask of a row below the shown task. */
const numberOf = ({ subtask, call, trace }: OutlineRow): string =>
  numberIn(call?.child ?? "", subtask?.starts.at(-1)?.trace.taskId ?? trace.taskId);

/** The status of a subtask's task, unless it completed. */
function marksOfTask(info: TaskInfo): readonly Mark[] {
  const { name, group, word } = statusOf(info);
  if (name === "completed") return [];
  return [{ word, tone: group === "failed" ? "bad" : group === "done" ? "quiet" : "now" }];
}
