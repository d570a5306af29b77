import { clock } from "../model/format.ts";

export interface ClosedActionsProps {
  readonly canAct: boolean;
  /** Whether another process runs the task: then it can't be opened here. */
  readonly isElsewhere: boolean;
  /** How the task's process ended. Absent: the task settled before. */
  readonly ended: string | undefined;
  /** The time of the newest event. */
  readonly lastAt: number;
  readonly onFork: () => void;
  readonly onOpen: () => void;
}

/** The actions on a task that the server does not have open. */
export function ClosedActions({ canAct, isElsewhere, ended, lastAt, onFork, onOpen }: ClosedActionsProps) {
  return (
    <section className="sb-action-bar" aria-label="Actions">
      <span className="sb-action-note">
        {ended ?? (isElsewhere ? "Another process runs this task." : "This task is recorded and not open.")}
        {ended !== undefined && <> Last event: {clock(lastAt)}</>}
      </span>
      <button type="button" disabled={!canAct} onClick={onFork}>
        Fork
      </button>
      <button
        type="button"
        className="sb-main"
        disabled={!canAct || isElsewhere}
        title={ended === undefined ? undefined : "Open the task here and settle what was interrupted"}
        onClick={onOpen}
      >
        {ended === undefined ? "Open task" : "Recover"}
      </button>
    </section>
  );
}
