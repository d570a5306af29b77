import { memo, type ReactNode, useMemo } from "react";
import { plural } from "../../../../present/plural.ts";
import type { Cause } from "../../model/causes.ts";
import { timeOf } from "../../model/event-text.ts";
import { clock } from "../../model/format.ts";
import { problemKind, problemText } from "../../model/problem-text.ts";
import type { SubtaskTree } from "../../model/subtask-tree.ts";
import { causesOf } from "../../model/tree-causes.ts";
import { isLater, type TreeProblem, treeProblems } from "../../model/tree-problems.ts";
import type { PaneProps } from "../../pane-props.ts";
import { Short } from "../../text/plain.tsx";
import { PagedList } from "../list/paged-list.tsx";
import { SubtaskNotice } from "../list/subtask-notice.tsx";
import "./problems.css";

/** The most problems that are rendered at once. */
const PROBLEMS_MAX_ITEMS = 100;

export interface ProblemsPaneProps extends PaneProps {
  /** The subtasks of the trace. */
  readonly tree: SubtaskTree;
  /** Open another task at a record, or at its newest problem. Absent: there are no other tasks. */
  readonly onTask?: ((taskId: string, record?: number) => void) | undefined;
}

/** The problems of the whole trace and of its subtasks, each with its causes. A click goes to the event. */
export function ProblemsPane({ trace, tree, at, onGo, onTask }: ProblemsPaneProps): ReactNode {
  const list = useMemo(() => treeProblems(trace, tree), [trace, tree]);
  const focus = Math.max(
    0,
    list.findLastIndex((problem) => !isLater(problem, trace, at)),
  );
  const inside = list.filter(({ subtask }) => subtask !== undefined).length;
  return (
    <PagedList
      label="Problems"
      of="problems"
      length={list.length}
      focus={focus}
      size={PROBLEMS_MAX_ITEMS}
      at={at}
      none="No problems."
      head={
        <>
          {list.length > 0 && (
            <p className="problems-count">
              {plural(list.length, "problem")}
              {inside > 0 && `, ${inside} in subtasks`}
            </p>
          )}
          <SubtaskNotice loaded={tree.loaded} />
        </>
      }
      item={(position) => {
        const problem = list[position];
        if (problem === undefined) return null;
        const { seq } = problem.problem;
        const isOwn = problem.subtask === undefined;
        return (
          <Row
            key={`${problem.trace.taskId} ${seq} ${position}`}
            problem={problem}
            tree={tree}
            isCurrent={isOwn && seq === at}
            isLater={isLater(problem, trace, at)}
            onGo={onGo}
            onTask={onTask}
          />
        );
      }}
    />
  );
}

interface RowProps extends Pick<ProblemsPaneProps, "onGo" | "onTask"> {
  readonly problem: TreeProblem;
  readonly tree: SubtaskTree;
  readonly isCurrent: boolean;
  /** Whether it comes after the current event. */
  readonly isLater: boolean;
}

const Row = memo(function Row({ problem: of, tree, isCurrent, isLater, onGo, onTask }: RowProps): ReactNode {
  const { problem, trace, subtask } = of;
  const { seq } = problem;
  const event = trace.event(seq);
  const causes = causesOf(of, tree);
  const open = (): void => (subtask === undefined ? onGo(seq) : onTask?.(subtask.taskId, event.record.seq));
  return (
    <li
      className={`problems-item${isLater ? " problems-later" : ""}`}
      {...(isCurrent && { "data-marked": "", "aria-current": "true" })}
    >
      <button type="button" className="problems-row" onClick={open}>
        <b className="problems-kind">{problemKind(problem)}</b>
        <span className="problems-text">
          <Short text={problemText(problem, trace.index)} maxChars={300} />
        </span>
        <span className="problems-place">
          <time>{clock(timeOf(event))}</time> · event {seq}
          {subtask !== undefined && (
            <span className="problems-subtask" title={subtask.taskId}>
              {" "}
              of the subtask <Short text={tree.nameOf(subtask.taskId)} maxChars={80} />
            </span>
          )}
        </span>
      </button>
      {causes.length > 0 && (
        <p className="problems-causes">
          {causes.map((cause, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: causes are identified by position
            <span key={position}>
              <span aria-hidden="true">← </span>
              <CauseLink cause={cause} onGo={onGo} onTask={onTask} />
            </span>
          ))}
        </p>
      )}
    </li>
  );
});

interface CauseLinkProps extends Pick<ProblemsPaneProps, "onGo" | "onTask"> {
  readonly cause: Cause;
}

/** A cause; a link if this page has its event or its task. */
function CauseLink({ cause: { text, seq, task, record }, onGo, onTask }: CauseLinkProps): ReactNode {
  const words = <Short text={text} maxChars={120} />;
  const follow =
    task !== undefined && onTask !== undefined
      ? () => onTask(task, record)
      : seq !== undefined
        ? () => onGo(seq)
        : undefined;
  if (follow === undefined) return words;
  return (
    <button
      type="button"
      className="problems-link"
      title={
        task === undefined
          ? `Go to event ${seq}`
          : `Open ${task}${record === undefined ? "" : ` at record ${record}`}`
      }
      onClick={follow}
    >
      {words}
    </button>
  );
}
