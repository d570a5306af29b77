import { memo, type ReactNode } from "react";
import { plural } from "../../../../present/plural.ts";
import { type Cause, causesOf } from "../../model/causes.ts";
import { timeOf } from "../../model/event-text.ts";
import { clock } from "../../model/format.ts";
import { problemKind, problemText } from "../../model/problem-text.ts";
import type { Problem } from "../../model/problems.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import type { PaneProps } from "../../pane-props.ts";
import { Short } from "../../text/plain.tsx";
import { PagedList } from "../list/paged-list.tsx";
import "./problems.css";

/** The most problems that are rendered at once. */
const PROBLEMS_MAX_ITEMS = 100;

export interface ProblemsPaneProps extends PaneProps {
  /** Open another task at its newest problem. Absent: there are no other tasks. */
  readonly onTask?: ((taskId: string) => void) | undefined;
}

/** The problems of the whole trace, each with its causes. A click goes to the event. */
export function ProblemsPane({ trace, at, onGo, onTask }: ProblemsPaneProps): ReactNode {
  const { list } = trace.index.problems;
  const focus = Math.max(
    0,
    list.findLastIndex(({ seq }) => seq <= at),
  );
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
        list.length === 0 ? undefined : <p className="problems-count">{plural(list.length, "problem")}</p>
      }
      item={(position) => {
        const problem = list[position];
        if (problem === undefined) return null;
        return (
          <Row
            key={`${problem.seq} ${position}`}
            problem={problem}
            trace={trace}
            isCurrent={problem.seq === at}
            isLater={problem.seq > at}
            onGo={onGo}
            onTask={onTask}
          />
        );
      }}
    />
  );
}

interface RowProps extends Pick<ProblemsPaneProps, "onGo" | "onTask"> {
  readonly problem: Problem;
  readonly trace: TraceSnapshot;
  readonly isCurrent: boolean;
  /** Whether it comes after the current event. */
  readonly isLater: boolean;
}

const Row = memo(function Row({ problem, trace, isCurrent, isLater, onGo, onTask }: RowProps): ReactNode {
  const { index } = trace;
  const { seq } = problem;
  const causes = causesOf(problem, trace, index);
  return (
    <li
      className={`problems-item${isLater ? " problems-later" : ""}`}
      {...(isCurrent && { "data-marked": "", "aria-current": "true" })}
    >
      <button type="button" className="problems-row" onClick={() => onGo(seq)}>
        <b className="problems-kind">{problemKind(problem)}</b>
        <span className="problems-text">
          <Short text={problemText(problem, index)} maxChars={300} />
        </span>
        <span className="problems-place">
          <time>{clock(timeOf(trace.event(seq)))}</time> · event {seq}
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
function CauseLink({ cause: { text, seq, task }, onGo, onTask }: CauseLinkProps): ReactNode {
  const words = <Short text={text} maxChars={120} />;
  const follow =
    task !== undefined && onTask !== undefined
      ? () => onTask(task)
      : seq !== undefined
        ? () => onGo(seq)
        : undefined;
  if (follow === undefined) return words;
  return (
    <button
      type="button"
      className="problems-link"
      title={task === undefined ? `Go to event ${seq}` : `Open ${task}`}
      onClick={follow}
    >
      {words}
    </button>
  );
}
