import { plural } from "../../../../present/plural.ts";
import type { LoadedSubtasks } from "../../model/growing-subtasks.ts";
import { Short } from "../../text/plain.tsx";

export interface SubtaskNoticeProps {
  readonly loaded: LoadedSubtasks;
}

/** The most failures that are listed. */
const FAILURES_MAX = 3;

/** Says which traces of subtasks are missing, and why. */
export function SubtaskNotice({ loaded: { failures, omitted } }: SubtaskNoticeProps) {
  if (failures.size === 0 && omitted === undefined) return null;
  const listed = [...failures].slice(0, FAILURES_MAX);
  return (
    <div role="note">
      {omitted !== undefined && (
        <p>
          {plural(omitted.count, "subtask")} not loaded here: the limit of {omitted.max}{" "}
          {omitted.limit === "traces" ? "subtasks" : "events of subtasks"} is reached. Open a subtask to see
          those below it.
        </p>
      )}
      {listed.map(([taskId, reason]) => (
        <p key={taskId}>
          <Short text={`Subtask ${taskId} can't be read whole: ${reason}`} maxChars={300} />
        </p>
      ))}
      {failures.size > listed.length && <p>{failures.size - listed.length} more can't be read.</p>}
    </div>
  );
}
