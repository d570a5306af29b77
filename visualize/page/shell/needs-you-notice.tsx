import type { TaskInfo } from "../../../wire/http/api.ts";
import { statusOf } from "../model/status.ts";
import { numberIn } from "../model/subtask-rows.ts";
import { shortened } from "../text/printable.ts";

export interface NeedsYouNoticeProps {
  readonly task: TaskInfo | undefined;
  /** The subtasks of the task that need a person. */
  readonly subtasks: readonly TaskInfo[];
  readonly onOpen: (taskId: string) => void;
}

const TITLE_MAX_CHARS = 80;
const REASON_MAX_CHARS = 200;

/** The subtasks that a task waits for, while they need a person: one with its reason, several by number and name. */
export function NeedsYouNotice({ task, subtasks, onOpen }: NeedsYouNoticeProps) {
  const [first, ...others] = subtasks;
  if (first === undefined) return null;
  const { word, reason } = statusOf(first);
  const hasOthers = others.length > 0;
  return (
    <p className="sb-needs-you-notice" role="status" data-several={hasOthers || undefined}>
      {hasOthers ? `${subtasks.length} subtasks need you: ` : "A subtask needs you: "}
      {subtasks.map((subtask) => (
        <NeedsYouLink key={subtask.id} subtask={subtask} above={task?.id ?? ""} onOpen={onOpen} />
      ))}
      {!hasOthers && `, ${shortened(reason === "" ? word : reason, REASON_MAX_CHARS)}`}
    </p>
  );
}

interface NeedsYouLinkProps extends Pick<NeedsYouNoticeProps, "onOpen"> {
  readonly subtask: TaskInfo;
  /** The id of the task above it. */
  readonly above: string;
}

/** The number and the name of a subtask. */
function NeedsYouLink({ subtask: { id, title }, above, onOpen }: NeedsYouLinkProps) {
  const name = shortened(title || id, TITLE_MAX_CHARS);
  return (
    <button type="button" className="sb-link" title={name} onClick={() => onOpen(id)}>
      <b>{shortened(numberIn(id, above), TITLE_MAX_CHARS)}</b> <span>{name}</span>
    </button>
  );
}
