import type { TaskInfo } from "../../../wire/http/api.ts";
import { shortened } from "../text/printable.ts";

/** The origin of a task that is a session of another agent. */
export function TranscriptNotice({
  transcript,
}: {
  readonly transcript: TaskInfo["transcript"] | undefined;
}) {
  if (transcript === undefined) return null;
  const { name, version } = transcript;
  return (
    <p className="sb-transcript-notice" role="note">
      Read only · {shortened(name, 60)} session
      {version !== undefined && ` (${shortened(version, 40)})`}: states are derived, not recorded
    </p>
  );
}
