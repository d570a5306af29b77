import { memo } from "react";
import { IN_BACKGROUND } from "../../../../present/subtask-name.ts";
import type { TaskInfo } from "../../../../wire/http/api.ts";
import { isInBackground } from "../../model/background-subtasks.ts";
import { dollars, duration } from "../../model/format.ts";
import { listedTask } from "../../model/listed-task.ts";
import { type Mark, type OutlineRow, rowDuration, rowMarks, rowText, turnCost } from "../../model/outline.ts";
import { type SubtaskName, subtaskName } from "../../model/subtask-name.ts";
import { newestInfo } from "../../model/subtask-rows.ts";
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
  const childId = kind === "task" ? call?.child : undefined;
  const child = childId === undefined ? undefined : newestInfo(childId, row.subtask?.trace, tasks);
  const name = childId === undefined ? undefined : nameOf(row, childId, child);
  const text = name === undefined ? rowText(row) : name.title;
  const marks = [...marksOfSubtask(row, childId, child), ...rowMarks(row)];
  // The row of the call above has the duration of its subtask.
  const lasted = name !== undefined ? undefined : rowDuration(row, now);
  const cost = child === undefined ? (kind === "turn" ? turnCost(turn, index) : undefined) : child.cost;
  return (
    <>
      <span className="outline-fold" aria-hidden="true">
        {row.isUnfolded === undefined ? "" : row.isUnfolded ? "▾" : "▸"}
      </span>
      <span className="outline-text">
        {kind === "turn" && index.turns[turn]?.by === "person" && <b>You: </b>}
        {name !== undefined && (
          <b>
            {shortened(`Subtask ${name.number}`, NUMBER_CHARS_MAX)}
            {text !== "" && ": "}
          </b>
        )}
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

/** The name of the subtask of a row. The outline has the subtask elsewhere, if a damaged journal names it twice. */
const nameOf = ({ subtask, trace }: OutlineRow, childId: string, info: TaskInfo | undefined): SubtaskName =>
  subtask ?? subtaskName(childId, info?.title, trace.taskId);

/** Whether a subtask works in the background, and its status, unless it completed. */
function marksOfSubtask(
  { trace }: OutlineRow,
  childId: string | undefined,
  info: TaskInfo | undefined,
): readonly Mark[] {
  const isBeside = childId !== undefined && isInBackground(trace, childId);
  const beside: readonly Mark[] = isBeside ? [{ word: IN_BACKGROUND, tone: "quiet" }] : [];
  if (info === undefined) return beside;
  const { name, group, word } = listedTask(info).status;
  if (name === "completed") return beside;
  return [...beside, { word, tone: group === "failed" ? "bad" : group === "done" ? "quiet" : "now" }];
}
