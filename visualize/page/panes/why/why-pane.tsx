import { isApproval } from "../../../../present/asks.ts";
import type { TaskInfo } from "../../../../wire/http/api.ts";
import { nameOf } from "../../model/event-text.ts";
import type { PaneProps } from "../../pane-props.ts";
import type { PageSource } from "../../source.ts";
import { openAsks } from "../../sources/task-info.ts";
import { Short } from "../../text/plain.tsx";
import { shortened } from "../../text/printable.ts";
import { AwaitedSubtasks, type AwaitedSubtasksProps } from "../subtasks/awaited-subtasks.tsx";
import { CandidateTable } from "./candidate-table.tsx";
import { PermissionsPanel } from "./permissions-panel.tsx";
import { ProtocolTrial } from "./protocol-trial.tsx";
import type { Send } from "./sent-event.ts";
import { Supposition } from "./supposition.tsx";
import { type Next, recordAt, useExplanation } from "./use-explanation.ts";
import "./why.css";

export interface WhyPaneProps
  extends PaneProps,
    Pick<AwaitedSubtasksProps, "tree" | "tasks" | "isPast" | "onTask"> {
  /** The entry of the task in the task list. */
  readonly info: TaskInfo | undefined;
  /** Absent: only the trace can be asked. */
  readonly source: PageSource | undefined;
  /** Create a task from the records up to `record`, send it an event, and show it. Absent: tasks can't be forked. */
  readonly onFork: ((record: number, send?: Send) => void) | undefined;
}

/** The reason why the machine's own state does not explain an event, and how another can be supposed after it. */
function whyJournal(info: TaskInfo | undefined, next: Next | undefined): string {
  if (next !== undefined) return "The machine's own state is kept from the next event on.";
  if (info?.isOpen !== true) return "Only a task that is open here can be asked about another event.";
  return "The machine's own state was not kept here: another event can be supposed at the newest event, and later. Fork from here to do something else.";
}

/** The reasons for the effects of the current event, and the effects that another would have after it. */
export function WhyPane(props: WhyPaneProps) {
  const { trace, at, info, source, onFork, onGo } = props;
  const { explanation, next, error } = useExplanation(trace, at, info?.isOpen === true ? source : undefined);
  const event = trace.event(at);
  const record = recordAt(trace, at);
  const { taskId } = trace;
  const isDelegated = trace.index.paths[at] === "running.delegated";
  const reason = openAsks(trace, at).find(({ kind }) => isApproval(kind))?.reason;
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
      {isDelegated && <AwaitedSubtasks {...props} />}
      {reason !== undefined && <p>It asked a person: {shortened(reason, 400)}.</p>}
      <PermissionsPanel trace={trace} at={at} source={source} info={info} onGo={onGo} />
      {!isDelegated && event.next !== undefined && <p>{shortened(event.next, 400)}</p>}
      {error !== undefined && <p role="alert">{shortened(error, 400)}</p>}
      {explanation === undefined ? (
        <p className="sb-dim">{record === undefined ? "Streamed text: no transition." : "No transition."}</p>
      ) : (
        <>
          {explanation.source === "journal" && (
            <p className="sb-dim">This explanation uses only the journal. {whyJournal(info, next)}</p>
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
          onFork={onFork === undefined || record === undefined ? undefined : (send) => onFork(record, send)}
        />
      )}
      {source?.control !== undefined && (
        <ProtocolTrial key={`protocol ${taskId}`} trace={trace} control={source.control} onGo={onGo} />
      )}
    </div>
  );
}
