import { topState } from "../../../../machines/message/states.ts";
import { plural } from "../../../../present/plural.ts";
import type { Chart, ChartEdge, ChartState, ChartTransition } from "../../../chart/chart.ts";
import { formatTransition } from "../../../chart/label.ts";
import type { TraceReader } from "../../../trace/moment.ts";
import { nameOf } from "../../model/event-text.ts";
import { duration } from "../../model/format.ts";
import { isWithin } from "../../model/state.ts";
import { type RowCount, rowsByEdge, type VisitCounts } from "../../model/visit-counts.ts";
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
  const taken = rowsByEdge(visits);
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
        <Rows key={edge.id} edge={edge} taken={taken.get(edge.id) ?? []} />
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

function Lines({ name, lines }: Readonly<{ name: string; lines: readonly string[] }>) {
  if (lines.length === 0) return null;
  return (
    <div className="sb-lines">
      <h4>{name}</h4>
      {lines.map((line) => (
        <code key={line}>{line}</code>
      ))}
    </div>
  );
}

/** The rows of an edge: each taken row with its count, the others as possible. */
function Rows({ edge, taken }: Readonly<{ edge: ChartEdge; taken: readonly RowCount[] }>) {
  return (
    <div className="sb-lines">
      <h4>to {edge.target}</h4>
      {edge.rows.map((row) => {
        const mark = markOf(row, taken);
        const text = formatTransition(row);
        return (
          <code key={text} className={mark === "possible" ? "is-possible" : ""}>
            {text} <span className="sb-num">{mark}</span>
          </code>
        );
      })}
    </div>
  );
}

/** A row's count. Where the trace doesn't tell which of several rows was taken, the count belongs to all of them. */
function markOf(row: ChartTransition, taken: readonly RowCount[]): string {
  const marks = taken
    .filter(([{ rows }]) => rows.includes(row))
    .map(([{ rows }, times]) =>
      rows.length === 1 ? `×${times}` : `×${times} by one of ${rows.length} rows`,
    );
  return marks.length === 0 ? "possible" : marks.join(", ");
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
