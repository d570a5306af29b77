import { useEffect, useState } from "react";
import type { Choices, TaskInfo } from "../../../../wire/http/api.ts";
import { type Checkpoint, Checkpoints } from "../../actions/checkpoints.tsx";
import { errorText } from "../../model/format.ts";
import type { TaskActions } from "../../source.ts";
import { StatePane, type StatePaneProps } from "./state-pane.tsx";
import type { SwitchesProps } from "./switches.tsx";

export interface SettableStateProps extends Omit<StatePaneProps, "switches" | "children"> {
  /** The task's entry in the task list. */
  readonly info: TaskInfo | undefined;
  /** Undefined: the task can't be changed now. */
  readonly actions: TaskActions | undefined;
  readonly onError: (message: string) => void;
}

/**
 * The state of the task, where its mode and its model can be switched while it is open. Its key must be the id of the
 * task.
 */
export function SettableState({ info, actions, onError, ...pane }: SettableStateProps) {
  const taskId = pane.trace.taskId;
  const choices = useChoices(taskId, actions, onError);
  const checkpoints = actions === undefined ? [] : checkpointsIn(pane);
  const isRestorable = actions !== undefined && checkpoints.length > 0;
  return (
    <StatePane {...pane} switches={switchesOf(taskId, { info, actions, choices, onError })}>
      {isRestorable && <Checkpoints {...{ taskId, checkpoints, actions, onError }} />}
    </StatePane>
  );
}

/** The checkpoints of the task's files up to the event, oldest first. */
const checkpointsIn = ({ trace, at }: Pick<StatePaneProps, "trace" | "at">): readonly Checkpoint[] =>
  trace
    .moment(at)
    .memory.log.toArray()
    .flatMap(({ say, text, ts }) => (say === "checkpoint_saved" && text ? [{ hash: text, at: ts }] : []));

/** Undefined until they are read. */
function useChoices(
  taskId: string,
  actions: TaskActions | undefined,
  onError: (message: string) => void,
): Choices | undefined {
  const [choices, setChoices] = useState<Choices>();
  useEffect(() => {
    if (actions === undefined) return;
    let isCurrent = true;
    actions.choices(taskId).then(
      (read) => isCurrent && setChoices(read),
      (error: unknown) => onError(errorText(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [taskId, actions, onError]);
  return actions === undefined ? undefined : choices;
}

interface Switchable extends Pick<SettableStateProps, "info" | "actions" | "onError"> {
  readonly choices: Choices | undefined;
}

function switchesOf(
  taskId: string,
  { info, actions, choices, onError }: Switchable,
): SwitchesProps | undefined {
  if (actions === undefined || choices === undefined) return undefined;
  if (info?.mode === undefined || info.profile === undefined) return undefined;
  const run = (action: Promise<void>): void => {
    onError("");
    action.catch((error: unknown) => onError(errorText(error)));
  };
  return {
    choices,
    mode: info.mode,
    profile: info.profile,
    onMode: (slug) => run(actions.switchMode(taskId, slug)),
    onProfile: (name) => run(actions.selectProfile(taskId, name)),
  };
}
