import { useState } from "react";
import { timeOf } from "../model/event-text.ts";
import { ClosedActions } from "./closed-actions.tsx";
import { openWithBreakpoints } from "./kept-breakpoints.ts";
import { type ActedTask, OpenActions } from "./open-actions.tsx";
import { PastActions } from "./past-actions.tsx";
import type { QueuedEdit } from "./queued-editor.tsx";
import { useRequests } from "./use-requests.ts";
import "./actions.css";

export interface ActionBarProps extends ActedTask {
  /** Whether the user chose an event that is not the newest: actions on the task need that one. */
  readonly isPast: boolean;
  /** Whether all past events are loaded: before, the newest is not known. */
  readonly isLoaded: boolean;
  /** How the process of the task ended before the task settled. Absent: it did not. */
  readonly ended?: string | undefined;
  /** Whether the server has the task open. */
  readonly isOpen: boolean;
  /** Whether another process runs the task. */
  readonly isElsewhere: boolean;
  /** Whether the page has no connection: actions wait for it. */
  readonly isLost: boolean;
  /** Called with an error message; empty: clear it. */
  readonly onError: (message: string) => void;
  readonly onOpened: (taskId: string) => void;
  readonly onLive: () => void;
}

/** The actions on a task: answer the open ask, send a message, cancel, recover, or fork at an earlier event. */
export function ActionBar(props: ActionBarProps) {
  const { taskId, moment, isPast, isLoaded, isOpen, isLost, actions, onOpened } = props;
  const [text, setText] = useState("");
  const [queuedEdit, setQueuedEdit] = useState<QueuedEdit>();
  const { isBusy, run } = useRequests(props.onError);
  const canAct = !isBusy && !isLost;
  const fork = (profile?: string): void =>
    run(() =>
      actions
        .fork(taskId, moment.event.record.seq, profile === undefined ? {} : { profile })
        .then(({ id }) => onOpened(id)),
    );
  const open = (): void => run(() => openWithBreakpoints(actions, taskId).then(onOpened));
  if (isPast) return <PastActions {...props} canAct={canAct} onFork={fork} />;
  if (!isLoaded)
    return (
      <section className="sb-action-bar" aria-label="Actions">
        <span className="sb-action-note">Loading the events of this task …</span>
      </section>
    );
  if (isOpen)
    return (
      <OpenActions
        {...props}
        canAct={canAct}
        text={text}
        onText={setText}
        queuedEdit={queuedEdit}
        onQueuedEdit={setQueuedEdit}
        run={run}
      />
    );
  const { isElsewhere, ended } = props;
  const lastAt = timeOf(moment.event);
  return <ClosedActions {...{ canAct, isElsewhere, ended, lastAt }} onFork={() => fork()} onOpen={open} />;
}
