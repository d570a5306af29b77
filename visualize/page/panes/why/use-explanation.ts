import { useEffect, useState } from "react";
import type { Explanation, SupposedEvent } from "../../../../wire/http/explanation.ts";
import { explainRecorded } from "../../../trace/explain/explain-recorded.ts";
import { errorText } from "../../model/format.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import type { PageSource } from "../../source.ts";
import { SourceError } from "../../sources/source-error.ts";
import { useSettled } from "../list/use-window.ts";

/** The answer to why an event did what it did. */
export interface Why {
  /** Undefined: no machine decided anything in the event. */
  readonly explanation: Explanation | undefined;
  /** Events that could follow, and what each would do. Absent where the machine's own state is not known. */
  readonly next?: Next;
  /** The reason why the machine's own state could not be asked. */
  readonly error?: string;
}

/** The events that could follow an event. */
export interface Next {
  readonly events: readonly SupposedEvent[];
  /** Compute what an event would do. Rejects where the machine can't process it. */
  readonly suppose: (event: SupposedEvent) => Promise<Explanation | null>;
}

/**
 * The explanation of an event: by what its trace has at once, and by the machine's own state once the source has
 * answered. Without a source, as for a task that is not open, only the trace explains it.
 */
export function useExplanation(trace: TraceSnapshot, at: number, source: PageSource | undefined): Why {
  const isSettled = useSettled(at);
  const { taskId } = trace;
  const record = recordAt(trace, at);
  const key = `${taskId} ${record} ${at}`;
  const [answered, setAnswered] = useState<{ readonly key: string; readonly why: Why }>();
  useEffect(() => {
    if (source?.explain === undefined || record === undefined || !isSettled) return;
    const { explain } = source;
    let isCurrent = true;
    const suppose = async (event: SupposedEvent): Promise<Explanation | null> =>
      (await explain(taskId, { record, event })).explanation;
    explain(taskId, { record }).then(
      ({ explanation, events }) => {
        if (isCurrent)
          setAnswered({ key, why: { explanation: explanation ?? undefined, next: { events, suppose } } });
      },
      (error: unknown) => {
        if (isCurrent) setAnswered(isForgotten(error) ? undefined : { key, why: failed(error) });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [source, taskId, record, isSettled, key]);
  const exact = answered?.key === key ? answered.why : undefined;
  const explanation = exact?.explanation ?? explainRecorded(trace, at);
  return { ...exact, explanation };
}

const failed = (error: unknown): Why => ({ explanation: undefined, error: errorText(error) });

/** Whether the task is not open here, or its state at the record was not kept: the journal explains the event. */
const isForgotten = (error: unknown): boolean =>
  error instanceof SourceError && (error.refusal === "MOMENT_UNKNOWN" || error.refusal === "TASK_CLOSED");

/** The number of an event's record; undefined for growth of streamed text, which has the number of the record before it. */
export function recordAt(trace: TraceSnapshot, at: number): number | undefined {
  const { seq } = trace.event(at).record;
  return at > 0 && trace.event(at - 1).record.seq === seq ? undefined : seq;
}
