import type { ReactNode } from "react";
import { formatAge } from "../../../../present/age.ts";
import { formatOwnFiles } from "../../../../present/own-files.ts";
import { IN_BACKGROUND } from "../../../../present/subtask-name.ts";
import type { TaskInfo } from "../../../../wire/http/api.ts";
import { costText, count } from "../../model/format.ts";
import type { SubtaskRow } from "../../model/subtask-rows.ts";
import { StatusMark } from "../../shell/tasks/status-mark.tsx";
import { shortened } from "../../text/printable.ts";

/** `merged by a person · mock/m1`: the end of the files of a subtask, and its model. */
function formatMore(info: TaskInfo | undefined): string {
  const files = info?.files === undefined ? "" : formatOwnFiles(info.files, info.parentId);
  return [files, shortened(info?.model ?? "", MODEL_MAX_CHARS)].filter((part) => part !== "").join(" · ");
}

export interface SubtaskListProps {
  readonly rows: readonly SubtaskRow[];
  readonly onTask: (taskId: string) => void;
  /** The answers to the ask of a row, if it has one that can be answered here. */
  readonly answers?: (row: SubtaskRow) => ReactNode;
}

const NUMBER_MAX_CHARS = 40;
const MODEL_MAX_CHARS = 60;
const TITLE_MAX_CHARS = 120;
const REASON_MAX_CHARS = 200;

/** A line for each subtask: its state, its number and title, its files and model, what it waits for, and its time, tokens and cost. */
export const SubtaskList = ({ rows, onTask, answers }: SubtaskListProps) => (
  <ul className="subtask-list">
    {rows.map((row) => {
      const { taskId, number, title, isBeside, known } = row;
      const reason = shortened(known?.status.reason ?? "", REASON_MAX_CHARS);
      return (
        <li key={taskId} data-group={known?.status.group}>
          {known === undefined ? (
            <span className="sb-dim">not loaded</span>
          ) : (
            <StatusMark status={known.status} />
          )}
          <button type="button" className="sb-link subtask-name" onClick={() => onTask(taskId)}>
            <b className="sb-num">{shortened(number, NUMBER_MAX_CHARS)}</b>{" "}
            {isBeside && <span className="sb-pill">{IN_BACKGROUND}</span>}
            {isBeside && " "}
            {shortened(title, TITLE_MAX_CHARS)}
          </button>
          <span className="sb-dim subtask-files">{formatMore(known?.info)}</span>
          <span className="subtask-reason" title={reason}>
            {reason}
          </span>
          {known !== undefined && (
            <span className="sb-num subtask-numbers">
              <span>{formatAge(known.elapsed)}</span> <span>{count(known.tokens)} tokens</span>{" "}
              <span>{costText(known.info.cost)}</span>
            </span>
          )}
          {answers?.(row)}
        </li>
      );
    })}
  </ul>
);
