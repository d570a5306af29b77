import { topState } from "../../../../machines/message/states.ts";
import { plural } from "../../../../present/plural.ts";
import type { Chart, ChartState } from "../../../chart/chart.ts";
import type { TraceReader } from "../../../trace/moment.ts";
import { HoldButton } from "../../actions/hold-button.tsx";
import type { Holds } from "../../actions/use-breakpoints.ts";
import { nameOf } from "../../model/event-text.ts";
import { isWithin } from "../../model/state.ts";
import { transitionRows } from "../../model/transition-rows.ts";
import type { VisitCounts } from "../../model/visit-counts.ts";
import type { PaneProps } from "../../pane-props.ts";
import { StateIcon } from "../../shell/state-badge.tsx";
import { shortened } from "../../text/printable.ts";
import { visitText } from "./count-text.ts";
import { TransitionTable } from "./transition-table.tsx";

/** The most listed changes: the newest. */
const CHANGES_MAX = 60;

export interface StateCardProps extends PaneProps {
  readonly state: ChartState;
  readonly chart: Chart;
  readonly visits: VisitCounts;
  readonly showsPossible: boolean;
  readonly onPossible: () => void;
  readonly onClose: () => void;
  /** The breakpoints that a click sets. Undefined: the task can't be held. */
  readonly holds: Holds | undefined;
}

/** A state's visits, the transitions that leave it, its definition, and the messages that changed in it. */
export function StateCard(props: StateCardProps) {
  const { state, chart, visits, trace, at, showsPossible, onGo, onPossible, onClose, holds } = props;
  const entries = visits.entries.get(state.path) ?? 0;
  const changes = changesIn(trace, state.path, at);
  const rows = transitionRows(chart, state.path, visits);
  const taken = rows.filter((row) => row.taken !== undefined);
  const possible = rows.length - taken.length;
  const shown = showsPossible ? rows : taken;
  return (
    <aside className="sb-state-card" aria-label={`State ${state.path}`} data-state={topState(state.path)}>
      <header>
        <StateIcon state={topState(state.path)} />
        <h2 className="sb-mono">{state.path}</h2>
        {holds !== undefined && (
          <HoldButton
            holds={holds}
            place={{ inState: state.path }}
            name={`Hold events in ${state.path}`}
            text="Hold events here"
          />
        )}
        <button type="button" className="sb-quiet" onClick={onClose} aria-label="Close">
          ✕
        </button>
      </header>
      <p>
        {entries === 0
          ? "It has not been entered yet."
          : `It was ${visitText(entries, visits.times.get(state.path) ?? 0)}.`}
      </p>
      {shown.length > 0 && <TransitionTable path={state.path} rows={shown} holds={holds} onGo={onGo} />}
      {possible > 0 && (
        <button type="button" className="sb-link" aria-expanded={showsPossible} onClick={onPossible}>
          {showsPossible ? "Hide" : "Show"} {plural(possible, "transition")} not taken
        </button>
      )}
      <Lines name="on entry" lines={state.entry} />
      <Lines name="on exit" lines={state.exit} />
      <Lines name="internal" lines={state.inner} />
      <h3>
        {changes.length === 0
          ? "No messages changed here."
          : `${plural(changes.length, "message change")} here`}
      </h3>
      <ol>
        {changes.slice(-CHANGES_MAX).map(({ seq, kind, text }) => (
          <li key={`${seq} ${kind} ${text}`}>
            <button type="button" className="sb-message-link" onClick={() => onGo(seq)}>
              <span className="sb-num">{seq}</span>
              <b>{shortened(kind, 60)}</b>
              <span>{shortened(text)}</span>
            </button>
          </li>
        ))}
      </ol>
    </aside>
  );
}

function Lines({ name, lines }: Readonly<{ name: string; lines: readonly string[] }>) {
  if (lines.length === 0) return null;
  return (
    <div className="sb-lines">
      <h3>{name}</h3>
      {lines.map((line) => (
        <code key={line}>{line}</code>
      ))}
    </div>
  );
}

interface ListedChange {
  readonly seq: number;
  readonly kind: string;
  readonly text: string;
}

/** The messages that were appended or amended in a state, up to the event `at`. */
function changesIn(trace: TraceReader, path: string, at: number): readonly ListedChange[] {
  const changes: ListedChange[] = [];
  for (let seq = 0; seq <= at; seq += 1) {
    const event = trace.event(seq);
    if (event.record.kind !== "commit" || !isWithin(event.record.after, path)) continue;
    for (const change of event.record.log) {
      if (change.type === "message.amended")
        changes.push({ seq, kind: "amended", text: Object.keys(change.patch).join(", ") || nameOf(event) });
      if (change.type !== "message.appended") continue;
      const { ask, say, type, text } = change.message;
      changes.push({ seq, kind: `${type}:${ask ?? say ?? "?"}`, text: text || nameOf(event) });
    }
  }
  return changes;
}
