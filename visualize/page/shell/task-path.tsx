import { Fragment } from "react";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { markedTitle, nameBelow } from "../model/subtask-name.ts";
import { shortened } from "../text/printable.ts";

export interface TaskPathProps {
  readonly title: string | undefined;
  /** Whether its parent goes on while it works. */
  readonly isBeside: boolean | undefined;
  /** The tasks that it is a subtask of, the first one first. */
  readonly parents: readonly TaskInfo[];
  readonly onOpen: (taskId: string) => void;
}

const PARENT_MAX_CHARS = 40;

/** The title of the task, behind the links to its parents. */
export const TaskPath = ({ title, isBeside, parents, onOpen }: TaskPathProps) => (
  <span className="sb-title" title={shortened(title ?? "", 1_000)}>
    {parents.map(({ id, title: listed, isBeside: isParentBeside }) => (
      <Fragment key={id}>
        <button type="button" className="sb-link" onClick={() => onOpen(id)}>
          {shortened(nameBelow(id, listed, parents[0]?.id ?? "", isParentBeside), PARENT_MAX_CHARS)}
        </button>
        <span className="sb-dim"> ▸ </span>
      </Fragment>
    ))}
    <span>{shortened(title === undefined ? "no task" : markedTitle(title, isBeside))}</span>
  </span>
);
