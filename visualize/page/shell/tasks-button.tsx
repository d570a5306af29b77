import { needsYouText } from "../model/needs-you.ts";

export interface TasksButtonProps {
  readonly isTaskList: boolean;
  readonly tasks: number;
  /** The number of tasks that need a person. */
  readonly tasksNeedingYou: number;
  readonly onClick: () => void;
}

/** A button that shows all tasks, with the number of those that need a person while the list does not show it. */
export const TasksButton = ({ isTaskList, tasks, tasksNeedingYou, onClick }: TasksButtonProps) => (
  <button type="button" aria-pressed={isTaskList} onClick={onClick}>
    Tasks <span className="sb-num sb-dim">{tasks}</span>
    {tasksNeedingYou > 0 && !isTaskList && (
      <>
        {" "}
        <b className="sb-num sb-needs-you" role="img" aria-label={needsYouText(tasksNeedingYou)}>
          ◆ {tasksNeedingYou}
        </b>
      </>
    )}
  </button>
);
