import { formatOwnFiles } from "../../../present/own-files.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { statusOf } from "../model/status.ts";
import { shortened } from "../text/printable.ts";

export interface OutcomeProps {
  readonly info: TaskInfo;
  /** Whether the newest event is shown. */
  readonly isAtEnd: boolean;
}

const OUTCOME_MAX_CHARS = 140;

/** The newest status of the task in one sentence, with the end of its own files, marked beside a past state. Red is a failure or a denial. */
export function Outcome({ info, isAtEnd }: OutcomeProps) {
  const { name, word, reason } = statusOf(info);
  const files = info.files === undefined ? "" : formatOwnFiles(info.files, info.parentId);
  const status = `${reason === "" ? word : `${word}: ${reason}`}${files === "" ? "" : ` · ${files}`}`;
  const sentence = isAtEnd ? status : `now ${status}`;
  return (
    <span className="sb-outcome" data-status={name} title={shortened(sentence, 300)}>
      {shortened(sentence, OUTCOME_MAX_CHARS)}
    </span>
  );
}
