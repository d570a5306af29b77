// biome-ignore-all lint/a11y: a table whose rows are placed one by one has the roles of a treegrid, with one focus
import { durationOf } from "../../../../present/task-times.ts";
import type { ListedTask } from "../../model/listed-task.ts";
import type { TaskActions } from "../../source.ts";
import { shortened } from "../../text/printable.ts";
import type { Column } from "./columns.ts";
import { hasAnswers, RowAnswers } from "./row-answers.tsx";
import { StatusMark } from "./status-mark.tsx";

export interface TableRowProps {
  readonly task: ListedTask;
  readonly depth: number;
  readonly columns: readonly Column[];
  readonly now: number;
  /** The longest duration of the table, in ms. */
  readonly longest: number;
  readonly actions: TaskActions | undefined;
  readonly onError: (message: string) => void;
}

/** The cells of a task's row. */
export function TableCells(props: TableRowProps) {
  return props.columns.map((column) => (
    <span
      key={column.name}
      role="gridcell"
      className="sb-cell"
      data-column={column.name}
      data-empty={column.text(props.task, props.now) === "" || undefined}
    >
      <CellContent {...props} column={column} />
    </span>
  ));
}

const TEXT_MAX_CHARS = 300;

function CellContent({
  column,
  task,
  depth,
  now,
  longest,
  actions,
  onError,
}: TableRowProps & { column: Column }) {
  const text = shortened(column.text(task, now), TEXT_MAX_CHARS);
  switch (column.name) {
    case "status":
      return <StatusMark status={task.status} />;
    case "title":
      return (
        <span className="sb-row-title" style={{ paddingInlineStart: `${Math.min(depth, DEPTH_MAX) * 16}px` }}>
          {depth > 0 && <i aria-hidden="true">└ </i>}
          <b title={text}>{text === "" ? shortened(task.id) : text}</b>
        </span>
      );
    case "reason":
      return (
        <>
          <span className="sb-row-reason" title={text}>
            {text}
            {task.hit !== undefined && ` … ${shortened(task.hit.excerpt, TEXT_MAX_CHARS)} …`}
          </span>
          {actions !== undefined && hasAnswers(task) && (
            <RowAnswers task={task} actions={actions} onError={onError} />
          )}
        </>
      );
    case "duration":
      return (
        <>
          <span className="sb-bar" aria-hidden="true">
            <span style={{ width: `${100 * shareOf(durationOf(task.times, now), longest)}%` }} />
          </span>
          <span>{text}</span>
        </>
      );
    case "workspace":
      return <span title={shortened(task.info.workspace ?? "", TEXT_MAX_CHARS)}>{text}</span>;
    default:
      return text;
  }
}

/** Deeper subtasks are not indented further. */
const DEPTH_MAX = 6;

/** The logarithmic share of a duration in the longest one, 0..1. */
const shareOf = (ms: number, longest: number): number =>
  longest <= 0 ? 0 : Math.log1p(ms / 1_000) / Math.log1p(longest / 1_000);
