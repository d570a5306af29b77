import { topState } from "../../../../machines/message/states.ts";
import type { Chart, ChartState } from "../../../chart/chart.ts";
import { formatTransitions } from "../../../chart/label.ts";
import type { TraceReader } from "../../../trace/moment.ts";
import { nameOf } from "../../model/event-text.ts";
import { duration, plural } from "../../model/format.ts";
import { isWithin } from "../../model/state.ts";
import type { VisitCounts } from "../../model/visit-counts.ts";
import type { PaneProps } from "../../pane-props.ts";
import { StateIcon } from "../../shell/state-badge.tsx";
import { shortened } from "../../text/printable.ts";

/** The most listed changes: the newest. */
const CHANGES_MAX = 60;

export interface StateCardProps extends PaneProps {
  readonly state: ChartState;
  readonly chart: Chart;
  readonly visits: VisitCounts;
  readonly onClose: () => void;
}

/** A state's definition, its visits, and the messages that changed in it. */
export function StateCard({ state, chart, visits, trace, at, onGo, onClose }: StateCardProps) {
  const entries = visits.entries.get(state.path) ?? 0;
  const changes = changesIn(trace, state.path, at);
  const edges = chart.edges.filter(({ source }) => source === state.path);
  return (
    <aside className="sb-card" aria-label={`State ${state.path}`} data-state={topState(state.path)}>
      <header>
        <StateIcon state={topState(state.path)} />
        <b className="sb-mono">{state.path}</b>
        <button type="button" className="sb-quiet" onClick={onClose} aria-label="Close">
          ✕
        </button>
      </header>
      <p>
        {entries === 0
          ? "Not entered yet."
          : `Entered ${plural(entries, "time")}, ${duration(visits.times.get(state.path) ?? 0)} total.`}
      </p>
      <Lines name="on entry" lines={state.entry} />
      <Lines name="on exit" lines={state.exit} />
      <Lines name="internal" lines={state.inner} />
      {edges.map((edge) => (
        <Lines
          key={edge.id}
          name={`to ${edge.target}`}
          lines={formatTransitions(edge).split("\n")}
          times={visits.edges.get(edge.id) ?? 0}
        />
      ))}
      <h4>
        {changes.length === 0
          ? "No messages changed here."
          : `${plural(changes.length, "message change")} here`}
      </h4>
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

function Lines({
  name,
  lines,
  times = 0,
}: Readonly<{ name: string; lines: readonly string[]; times?: number }>) {
  if (lines.length === 0) return null;
  return (
    <div className="sb-lines">
      <h4>
        {name}
        {times > 0 && <span className="sb-num"> ×{times}</span>}
      </h4>
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
