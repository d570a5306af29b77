// biome-ignore-all lint/a11y: a virtual tree has the roles of a tree, with one focus
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import type { TaskInfo } from "../../../../wire/http/api.ts";
import { type OutlineRow, outlineRows, rowAt } from "../../model/outline.ts";
import type { SubtaskTree } from "../../model/subtask-tree.ts";
import type { PaneProps } from "../../pane-props.ts";
import { SubtaskNotice } from "../list/subtask-notice.tsx";
import { useSettled } from "../list/use-window.ts";
import { OutlineCells } from "./outline-cells.tsx";
import { moveOf } from "./outline-keys.ts";
import "./outline.css";

export interface OutlinePaneProps extends Pick<PaneProps, "trace" | "at" | "onGo"> {
  /** The end time of what is open after the newest event. */
  readonly now: number;
  readonly tasks: readonly TaskInfo[];
  /** The subtasks of the trace. */
  readonly tree: SubtaskTree;
  /** Open another task, at a record of it or at its end. */
  readonly onTask: (taskId: string, record?: number) => void;
  /** A control at the end of its head. */
  readonly end?: ReactNode;
}

const ROW_PX = 28;
/** A row that a finger can hit. */
const TOUCH_ROW_PX = 44;
/** Before the tree is measured. */
const INITIAL_RECT = { width: 260, height: 600 };
/** Rows that are rendered above and below the visible ones. */
const OVERSCAN = 10;
/** Deeper rows have no room for a duration beside their marks, if the pane is narrow. */
const SPACIOUS_LEVELS = 6;
const COARSE = "(pointer: coarse)";

/** The turns of the whole trace with their calls and subtasks, as a tree. Only the visible rows are rendered. */
export function OutlinePane({ trace, tree, at, now, tasks, onGo, onTask, end }: OutlinePaneProps) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [hasOnlyProblems, setOnlyProblems] = useState(false);
  const rows = useMemo(
    () => outlineRows(trace, tree, { toggled, hasOnlyProblems }),
    [trace, tree, toggled, hasOnlyProblems],
  );
  const current = useMemo(() => rowAt(rows, trace, at), [rows, trace, at]);
  const [chosen, setChosen] = useState<{ readonly at: number; readonly key: string }>();
  const chosenRow = chosen?.at === at ? rows.findIndex(({ key }) => key === chosen.key) : -1;
  const active = chosenRow >= 0 ? chosenRow : current;

  const scroller = useRef<HTMLDivElement>(null);
  const idPrefix = useId();
  const size = "matchMedia" in globalThis && matchMedia(COARSE).matches ? TOUCH_ROW_PX : ROW_PX;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => size,
    getItemKey: (position) => rows[position]?.key ?? position,
    overscan: OVERSCAN,
    initialRect: INITIAL_RECT,
  });
  const isSettled = useSettled(at);
  useEffect(() => {
    if (active >= 0 && isSettled) virtualizer.scrollToIndex(active, { align: "auto" });
  }, [active, isSettled, virtualizer]);

  const toggle = (key: string): void =>
    setToggled((before) => {
      const after = new Set(before);
      if (!after.delete(key)) after.add(key);
      return after;
    });
  const open = (position: number): void => {
    const row = rows[position];
    if (row === undefined) return;
    if (row.kind === "task" && row.call?.child !== undefined) onTask(row.call.child);
    else if (row.trace !== trace) onTask(row.trace.taskId, row.trace.event(row.seq).record.seq);
    else onGo(row.seq);
  };
  const time = trace.index.times[at] ?? 0;
  const isLater = ({ trace: of, seq }: OutlineRow): boolean =>
    of === trace ? seq > at : (of.index.times[seq] ?? 0) > time;
  const onKeyDown = (event: KeyboardEvent): void => {
    const move = moveOf(event.key, rows, active);
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    if (move.type === "open") open(active);
    else if (move.type === "toggle") toggle(move.key);
    else choose(move.to);
  };
  const choose = (position: number): void => {
    const key = rows[position]?.key;
    if (key !== undefined) setChosen({ at, key });
  };
  const onClick = ({ target }: MouseEvent): void => {
    const row = target instanceof Element ? target.closest<HTMLElement>("[data-row]") : null;
    const position = row === null ? -1 : rows.findIndex(({ key }) => key === row.dataset.row);
    const clicked = rows[position];
    if (clicked === undefined) return;
    choose(position);
    if (clicked.isUnfolded !== undefined && (target as Element).closest(".outline-fold") !== null)
      toggle(clicked.key);
    else open(position);
  };
  const idOf = (key: string): string => `${idPrefix}-${key}`;
  const activeKey = rows[active]?.key;
  return (
    <div className="outline-pane">
      <header className="outline-head">
        <h3>Outline</h3>
        <button
          type="button"
          aria-pressed={hasOnlyProblems}
          onClick={() => setOnlyProblems(!hasOnlyProblems)}
        >
          Problems only
        </button>
        {end}
      </header>
      <SubtaskNotice loaded={tree.loaded} />
      {rows.length === 0 && (
        <p className="list-empty outline-empty">{hasOnlyProblems ? "No problems." : "No turns yet."}</p>
      )}
      <div
        ref={scroller}
        role="tree"
        className="outline-tree"
        tabIndex={0}
        aria-label="Outline"
        aria-activedescendant={activeKey === undefined ? undefined : idOf(activeKey)}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        <div
          role="presentation"
          className="outline-rows"
          style={{ height: `${virtualizer.getTotalSize()}px` }}
        >
          {virtualizer.getVirtualItems().map(({ index: position, start, size: height }) => {
            const row = rows[position];
            if (row === undefined) return null;
            const style: CSSProperties & Record<"--level", number> = {
              height: `${height}px`,
              transform: `translateY(${start}px)`,
              "--level": row.level,
            };
            return (
              <div
                key={row.key}
                id={idOf(row.key)}
                role="treeitem"
                className="outline-row"
                data-row={row.key}
                data-deep={row.level > SPACIOUS_LEVELS || undefined}
                data-later={isLater(row) || undefined}
                aria-level={row.level}
                aria-expanded={row.isUnfolded}
                aria-selected={position === active}
                aria-current={position === current || undefined}
                aria-posinset={row.position}
                aria-setsize={row.siblings}
                style={style}
              >
                <OutlineCells row={row} now={now} tasks={tasks} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
