// biome-ignore-all lint/a11y: a table whose rows are placed one by one has the roles of a treegrid, with one focus
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type MouseEvent, memo, useId, useMemo, useRef, useState } from "react";
import type { TaskRow, TaskSection } from "../../../../present/task-groups.ts";
import { TASK_GROUP_LABELS, type TaskGroup } from "../../../../present/task-status.ts";
import { grouped } from "../../model/format.ts";
import type { ListedTask } from "../../model/listed-task.ts";
import type { TaskActions } from "../../source.ts";
import { useWidth } from "../../use-width.ts";
import type { Column, ColumnName, Order } from "./columns.ts";
import { asksCommand, asksQuestion, hasAnswers, isCut } from "./row-answers.tsx";
import { TableCells, type TableRowProps } from "./table-row.tsx";

export interface TaskTableProps {
  readonly sections: readonly TaskSection<ListedTask>[];
  readonly columns: readonly Column[];
  readonly order: Order;
  readonly now: number;
  /** The longest duration, in ms. */
  readonly longest: number;
  /** The task that is shown outside of the list. */
  readonly shown: string | undefined;
  readonly actions: TaskActions | undefined;
  readonly onOrder: (order: Order) => void;
  readonly onOpen: (taskId: string) => void;
  readonly onError: (message: string) => void;
}

/** A line of the table. */
type Line =
  | { readonly group: TaskGroup; readonly count: number; readonly row?: undefined }
  | { readonly row: TaskRow<ListedTask> };

/** In fewer pixels a row has two lines, and others for a reason and for answers. */
const WIDE_MIN_PX = 1_000;
const HEIGHTS_PX = {
  head: 32,
  row: 34,
  narrowRow: 60,
  reason: 22,
  answers: 56,
  line: 38,
  narrowCommand: 58,
} as const;
/** Before the table is measured. */
const INITIAL_RECT = { width: 1_280, height: 800 };
/** Lines that are rendered above and below the visible ones. */
const OVERSCAN = 12;

/** The tasks as a tree in groups. Only the visible rows are rendered. */
export function TaskTable(props: TaskTableProps) {
  const { sections, columns, order, shown, onOpen } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = (useWidth(scroller) ?? INITIAL_RECT.width) < WIDE_MIN_PX;
  const [activeId, setActiveId] = useState(shown);
  const idPrefix = useId();
  const lines = useMemo(() => linesOf(sections), [sections]);
  const template = templateOf(columns);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(lines[index], isNarrow, props.actions !== undefined),
    getItemKey: (index) => keyOf(lines[index]),
    overscan: OVERSCAN,
    initialRect: INITIAL_RECT,
    scrollPaddingStart: isNarrow ? 0 : HEIGHTS_PX.head,
  });
  const activate = (index: number): void => {
    const id = lines[index]?.row?.task.id;
    if (id === undefined) return;
    setActiveId(id);
    virtualizer.scrollToIndex(index, { align: "auto" });
  };
  const active = lines.findIndex(({ row }) => row !== undefined && row.task.id === activeId);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    if ((event.key === "Enter" || event.key === " ") && activeId !== undefined && active >= 0)
      onOpen(activeId);
    else {
      const next = nextLine(event.key, lines, active);
      if (next === undefined) return;
      activate(next);
    }
    event.preventDefault();
  };
  const rowId = (id: string): string => `${idPrefix}-${id}`;
  const onClick = (event: MouseEvent): void => {
    const clicked = clickedTask(event);
    if (clicked !== undefined) onOpen(clicked);
  };
  return (
    <div
      ref={scroller}
      role="treegrid"
      className="sb-table"
      data-narrow={isNarrow || undefined}
      tabIndex={0}
      aria-label="Tasks"
      aria-rowcount={lines.length + 1}
      aria-activedescendant={active < 0 ? undefined : rowId(activeId ?? "")}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onFocus={() => active < 0 && activate(1)}
    >
      <div role="rowgroup" className="sb-table-head">
        <TableHead columns={columns} order={order} onOrder={props.onOrder} template={template} />
      </div>
      <div role="rowgroup" className="sb-table-body" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {virtualizer.getVirtualItems().map(({ index, key, start, size }) => {
          const line = lines[index];
          if (line === undefined) return null;
          const place = { height: `${size}px`, transform: `translateY(${start}px)` };
          if (line.row === undefined)
            return (
              <div key={key} role="row" className="sb-table-group" data-group={line.group} style={place}>
                <span role="rowheader">
                  {TASK_GROUP_LABELS[line.group]} <span className="sb-num">{grouped(line.count)}</span>
                </span>
              </div>
            );
          const { task, depth } = line.row;
          return (
            <TableRowLine
              key={key}
              id={rowId(task.id)}
              index={index}
              start={start}
              size={size}
              isActive={task.id === activeId}
              isShown={task.id === shown}
              template={isNarrow ? undefined : template}
              task={task}
              depth={depth}
              columns={columns}
              now={props.now}
              longest={props.longest}
              actions={props.actions}
              onError={props.onError}
            />
          );
        })}
      </div>
    </div>
  );
}

interface TableRowLineProps extends TableRowProps {
  readonly id: string;
  readonly index: number;
  readonly start: number;
  readonly size: number;
  readonly isActive: boolean;
  readonly isShown: boolean;
  readonly template: string | undefined;
}

/** A row in its place. While the table scrolls, only new rows are rendered. */
const TableRowLine = memo(function TableRowLine(props: TableRowLineProps) {
  const { id, index, start, size, isActive, isShown, template, ...cells } = props;
  const { task, depth } = cells;
  return (
    <div
      id={id}
      role="row"
      className="sb-table-row"
      aria-level={depth + 1}
      aria-rowindex={index + 2}
      aria-selected={isActive}
      aria-current={isShown || undefined}
      data-task={task.id}
      data-status={task.status.name}
      style={{ height: `${size}px`, transform: `translateY(${start}px)`, gridTemplateColumns: template }}
    >
      <TableCells {...cells} />
    </div>
  );
});

/** The task of a row that was clicked; undefined for a click on its answers. */
function clickedTask({ target }: MouseEvent): string | undefined {
  if (!(target instanceof Element) || target.closest(".sb-row-answers") !== null) return undefined;
  return target.closest<HTMLElement>("[data-task]")?.dataset.task;
}

const linesOf = (sections: readonly TaskSection<ListedTask>[]): readonly Line[] =>
  sections.flatMap(({ group, count, rows }) => [{ group, count }, ...rows.map((row) => ({ row }))]);

const keyOf = (line: Line | undefined): string => {
  if (line === undefined) return "";
  return line.row === undefined ? `group ${line.group}` : line.row.task.id;
};

function heightOf(line: Line | undefined, isNarrow: boolean, isLive: boolean): number {
  if (line?.row === undefined) return HEIGHTS_PX.head;
  const { task } = line.row;
  const ownLine = isLive ? lineHeight(task, isNarrow) : 0;
  if (!isNarrow) return HEIGHTS_PX.row + ownLine;
  const reason = task.status.reason === "" ? 0 : HEIGHTS_PX.reason;
  return HEIGHTS_PX.narrowRow + reason + ownLine + (isLive && hasAnswers(task) ? HEIGHTS_PX.answers : 0);
}

/** The height of a question's field, or of a command. */
function lineHeight(task: ListedTask, isNarrow: boolean): number {
  if (asksQuestion(task)) return HEIGHTS_PX.line;
  if (!asksCommand(task) || isCut(task)) return 0;
  return isNarrow ? HEIGHTS_PX.narrowCommand : HEIGHTS_PX.line;
}

/** The rows that a key moves by. */
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 };

/** The row that a key leads to: left is the parent, right the first subtask. Undefined for a key of another meaning. */
function nextLine(key: string, lines: readonly Line[], active: number): number | undefined {
  const depth = lines[active]?.row?.depth ?? 0;
  const step = STEPS[key];
  if (step !== undefined) return rowFrom(lines, active + step, Math.sign(step));
  switch (key) {
    case "Home":
      return rowFrom(lines, 0, 1);
    case "End":
      return rowFrom(lines, lines.length - 1, -1);
    case "ArrowLeft":
      return depth === 0
        ? active
        : lines.findLastIndex(({ row }, at) => at < active && row?.depth === depth - 1);
    case "ArrowRight":
      return lines[active + 1]?.row?.depth === depth + 1 ? active + 1 : active;
    default:
      return undefined;
  }
}

/** The first row at a line or after it, in a direction; at an end the last one that there is. */
function rowFrom(lines: readonly Line[], at: number, direction: number): number {
  const start = Math.min(Math.max(at, 0), lines.length - 1);
  for (let index = start; lines[index] !== undefined; index += direction)
    if (lines[index]?.row !== undefined) return index;
  return lines.findIndex(({ row }) => row !== undefined);
}

const WIDTHS: Readonly<Record<ColumnName, string>> = {
  status: "118px",
  title: "minmax(140px, 3fr)",
  reason: "minmax(180px, 4fr)",
  workspace: "minmax(70px, 1fr)",
  since: "84px",
  duration: "150px",
  requests: "80px",
  cost: "78px",
  mode: "84px",
  model: "minmax(80px, 1fr)",
};

const templateOf = (columns: readonly Column[]): string => columns.map(({ name }) => WIDTHS[name]).join(" ");

interface TableHeadProps {
  readonly columns: readonly Column[];
  readonly order: Order;
  readonly template: string;
  readonly onOrder: (order: Order) => void;
}

/** The heads of the columns. Each sorts the tasks by its column, and by it the other way at the second time. */
function TableHead({ columns, order, template, onOrder }: TableHeadProps) {
  return (
    <div role="row" style={{ gridTemplateColumns: template }}>
      {columns.map(({ name, head, about, isNumber }) => {
        const isSorted = order.by === name;
        const isAscending = isSorted ? !order.isAscending : isNumber !== true;
        return (
          <span
            key={name}
            role="columnheader"
            data-column={name}
            aria-sort={isSorted ? (order.isAscending ? "ascending" : "descending") : undefined}
          >
            <button type="button" title={about} onClick={() => onOrder({ by: name, isAscending })}>
              {head}
              {isSorted && <i aria-hidden="true">{order.isAscending ? " ↑" : " ↓"}</i>}
            </button>
          </span>
        );
      })}
    </div>
  );
}
