import type { ReactNode } from "react";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import { Folded } from "../../text/folded.tsx";
import { Output } from "../../text/output.tsx";
import { Short } from "../../text/plain.tsx";

/** Characters of a result that are shown while it is folded. */
const SUMMARY_CHARS_MAX = 90;

/**
 * The text of the result of a message's call, which succeeded by event `at`. Undefined where no tool started by this message,
 * or its result has no text: an output of a command and a failure are messages of their own.
 */
export function resultOf(
  trace: TraceSnapshot,
  { say, callId }: ClineMessage,
  at: number,
): string | undefined {
  const outcome = say === "tool" && callId !== undefined ? trace.index.outcomes.get(callId) : undefined;
  if (outcome?.kind !== "done" || outcome.seq > at) return undefined;
  const { record } = trace.event(outcome.seq);
  const call = record.kind === "commit" ? record.calls.find((each) => each.callId === callId) : undefined;
  if (call === undefined || !("outcome" in call)) return undefined;
  const text = call.outcome.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  return text.trim() === "" ? undefined : text;
}

/** The folded result of a call. */
export function CallResult({ text }: { readonly text: string }): ReactNode {
  return (
    <Folded
      summary={
        <>
          result: <Short text={text.trimStart()} maxChars={SUMMARY_CHARS_MAX} />
        </>
      }
    >
      {() => <Output text={text} />}
    </Folded>
  );
}
