import type { Ask } from "../../runtime/task/ask.ts";
import { EXIT } from "../error.ts";
import { formatUnanswered } from "../run/unanswered.ts";

/** The end of a run whose input has ended. */
export interface RunEnd {
  readonly code: number;
  /** Absent: the run succeeded, or the user quit it. */
  readonly problem?: string;
}

const DONE: RunEnd = { code: EXIT.done };

/** The end of a run that never got a prompt. At a terminal this is quitting, else an error. */
export const endWithoutPrompt = (isPerson: boolean): RunEnd =>
  isPerson
    ? DONE
    : {
        code: EXIT.failed,
        problem: "no prompt, and stdin has ended: expected one as an argument, or in --prompt-file.",
      };

/** The end of a run with an ask that can't be answered. A completed task needs no answer; a user may quit a task at rest. */
export function endUnanswered(ask: Ask, { isOwn, isPerson }: { isOwn: boolean; isPerson: boolean }): RunEnd {
  const isComplete = isOwn && (ask.kind === "completion" || ask.kind === "resume_completed");
  if (isComplete || (isPerson && ask.kind === "resume")) return DONE;
  return { code: EXIT.failed, problem: formatUnanswered(ask, "stdin has ended") };
}
