import type { TaskInfo } from "../../../wire/http/api.ts";
import { grouped } from "../model/format.ts";
import { listedTask } from "../model/listed-task.ts";
import { markedTitle, subtaskLabel, subtaskName } from "../model/subtask-name.ts";
import { shortened } from "../text/printable.ts";

export interface NeedsYouNoticeProps {
  readonly task: TaskInfo | undefined;
  /** The subtasks of the task that need a person. */
  readonly subtasks: readonly TaskInfo[];
  readonly onOpen: (taskId: string) => void;
}

/** The most subtasks that are named. The panel of subtasks has all of them. */
const NAMED_MAX = 12;
const LABEL_MAX_CHARS = 120;
const NUMBER_MAX_CHARS = 40;
const REASON_MAX_CHARS = 200;

/** The subtasks of a task that need a person: one with its reason, several by number and title. */
export function NeedsYouNotice({ task, subtasks, onOpen }: NeedsYouNoticeProps) {
  const [first, ...others] = subtasks;
  if (first === undefined) return null;
  const { word, reason } = listedTask(first).status;
  const hasOthers = others.length > 0;
  const left = subtasks.length - NAMED_MAX;
  return (
    <p className="sb-needs-you-notice" role="status" data-several={hasOthers || undefined}>
      {hasOthers ? `${grouped(subtasks.length)} subtasks need you: ` : "A subtask needs you: "}
      {subtasks.slice(0, NAMED_MAX).map((subtask) => (
        <NeedsYouLink key={subtask.id} subtask={subtask} above={task?.id ?? ""} onOpen={onOpen} />
      ))}
      {left > 0 && <span>and {grouped(left)} more</span>}
      {!hasOthers && `, ${shortened(reason === "" ? word : reason, REASON_MAX_CHARS)}`}
    </p>
  );
}

interface NeedsYouLinkProps extends Pick<NeedsYouNoticeProps, "onOpen"> {
  readonly subtask: TaskInfo;
  /** The id of the task above it. */
  readonly above: string;
}

/** The number and the title of a subtask. */
function NeedsYouLink({ subtask: { id, title: listed, isBeside }, above, onOpen }: NeedsYouLinkProps) {
  const name = { ...subtaskName(id, listed, above), isBeside };
  return (
    <button
      type="button"
      className="sb-link"
      title={shortened(subtaskLabel(name), LABEL_MAX_CHARS)}
      onClick={() => onOpen(id)}
    >
      <b>{shortened(name.number, NUMBER_MAX_CHARS)}</b>{" "}
      <span>{shortened(markedTitle(name.title, isBeside), LABEL_MAX_CHARS)}</span>
    </button>
  );
}
