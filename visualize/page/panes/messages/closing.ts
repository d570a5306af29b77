import type { ClineMessage } from "../../../../machines/message/index.ts";
import type { TraceIndex } from "../../model/trace-index.ts";
import type { Tone } from "./kinds.ts";

/** How an ask stands, for people. */
export interface Standing {
  readonly words: string;
  readonly tone: Tone;
}

const ANSWERS: ReadonlyMap<string, Standing> = new Map([
  ["yes", { words: "answered: yes", tone: "good" }],
  ["no", { words: "answered: no", tone: "bad" }],
  ["text", { words: "answered in words", tone: "good" }],
]);

/** Whether an ask is being written, open, or how it was closed (L8): by whom and with what, where the trace has it. */
export function standingOf(row: ClineMessage, isLast: boolean, index: TraceIndex): Standing | undefined {
  if (row.type !== "ask") return undefined;
  switch (row.closing) {
    case "withdrawn":
      return { words: "withdrawn", tone: "quiet" };
    case "expired":
      return { words: "expired: a policy closed it", tone: "warn" };
    case "ended":
      return { words: "ended with its command", tone: "quiet" };
    case "answered":
      return answered(row, index);
    case undefined:
      break;
  }
  if (row.partial === true) return { words: "being written: it takes no answer yet", tone: "quiet" };
  if (row.isAnswered === true) return answered(row, index);
  if (isLast) return { words: "waits for an answer", tone: "ask" };
  return { words: "left without a closing mark", tone: "warn" };
}

function answered({ ts, callId }: ClineMessage, { answers, permissions }: TraceIndex): Standing {
  const answer = answers.get(ts);
  if (answer !== undefined) return ANSWERS.get(answer.kind) ?? { words: "answered", tone: "good" };
  const by = callId === undefined ? undefined : permissions.get(callId)?.by;
  if (by !== undefined && "rule" in by) return { words: `allowed by the rule ${by.rule}`, tone: "good" };
  return { words: "answered", tone: "good" };
}
