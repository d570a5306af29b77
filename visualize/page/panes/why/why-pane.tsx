import type { TaskInfo } from "../../../../wire/http/api.ts";
import { nameOf } from "../../model/event-text.ts";
import type { PaneProps } from "../../pane-props.ts";
import type { PageSource } from "../../source.ts";
import { openAsks } from "../../sources/task-info.ts";
import { Short } from "../../text/plain.tsx";
import { shortened } from "../../text/printable.ts";
import { CandidateTable } from "./candidate-table.tsx";
import { PermissionsPanel } from "./permissions-panel.tsx";
import { Supposition } from "./supposition.tsx";
import { recordAt, useExplanation } from "./use-explanation.ts";
import "./why.css";

export interface WhyPaneProps extends PaneProps {
  /** The entry of the task in the task list. */
  readonly info: TaskInfo | undefined;
  /** Absent: only the trace can be asked. */
  readonly source: PageSource | undefined;
  /** Create a task from the records up to `record`, and open it. Absent: tasks can't be forked. */
  readonly onFork: ((record: number) => void) | undefined;
}

/** The reasons for the effects of the current event, and the effects that another would have after it. */
export function WhyPane({ trace, at, info, source, onFork, onGo }: WhyPaneProps) {
  const { explanation, next, error } = useExplanation(trace, at, source);
  const event = trace.event(at);
  const record = recordAt(trace, at);
  const { taskId } = trace;
  const [{ reason } = {}] = openAsks(trace, at);
  return (
    <div className="why-pane">
      <p className="why-sentence">
        <b>{nameOf(event)}</b> came from <Short text={event.from} />
        {event.because !== undefined && (
          <>
            , which{" "}
            <button type="button" className="sb-link" onClick={() => onGo(event.because ?? 0)}>
              event {event.because}
            </button>{" "}
            started
          </>
        )}
        .
      </p>
      {reason !== undefined && <p>It asked a person: {shortened(reason, 400)}.</p>}
      <PermissionsPanel trace={trace} at={at} source={source} info={info} onGo={onGo} />
      {event.next !== undefined && <p>{shortened(event.next, 400)}</p>}
      {error !== undefined && <p role="alert">{shortened(error, 400)}</p>}
      {explanation === undefined ? (
        <p className="sb-dim">{record === undefined ? "Streamed text: no transition." : "No transition."}</p>
      ) : (
        <>
          {explanation.source === "journal" && (
            <p className="sb-dim">
              This explanation uses only the journal. A task that runs here, while this page shows it, is
              explained by the machine's own state.
            </p>
          )}
          {explanation.steps.map((step, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps are identified by position
            <CandidateTable key={position} step={step} event={explanation.event} />
          ))}
        </>
      )}
      {next !== undefined && (
        <Supposition
          key={`${taskId} ${at}`}
          {...next}
          onFork={onFork === undefined || record === undefined ? undefined : () => onFork(record)}
        />
      )}
    </div>
  );
}
