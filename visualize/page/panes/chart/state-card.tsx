import type { LogEvent } from "../../../../machines/index.ts";
import type { TraceReader } from "../../../../trace/index.ts";
import { type Chart, type ChartState, rowsText } from "../../../chart/index.ts";
import { nameOf } from "../../model/event-words.ts";
import { duration, plural } from "../../model/format.ts";
import { isWithin, topOf } from "../../model/state.ts";
import type { Tally } from "../../model/tally.ts";
import { StateShape } from "../../shell/state-mark.tsx";
import { shortened } from "../../text/index.ts";

/** Rows that are listed at most: the newest. */
const MAX_ROWS = 60;

interface MadeRow {
  readonly seq: number;
  readonly event: string;
  readonly kind: string;
  readonly text: string;
}

/** What a state is: its definition, its figures, and the rows that were made as the task came to it or was in it. */
export function StateCard({
  state,
  chart,
  tally,
  trace,
  at,
  onGo,
  onClose,
}: {
  readonly state: ChartState;
  readonly chart: Chart;
  readonly tally: Tally;
  readonly trace: TraceReader;
  readonly at: number;
  readonly onGo: (seq: number) => void;
  readonly onClose: () => void;
}) {
  const entries = tally.entries.get(state.path) ?? 0;
  const made = rowsMadeIn(trace, state.path, at);
  const ways = chart.edges.filter(({ source }) => source === state.path);
  return (
    <aside className="sb-card" aria-label={`The state ${state.path}`} data-state={topOf(state.path)}>
      <header>
        <StateShape state={topOf(state.path)} />
        <b className="sb-mono">{state.path}</b>
        <button type="button" className="sb-quiet" onClick={onClose} aria-label="Close">
          ✕
        </button>
      </header>
      <p>
        {entries === 0
          ? "Not come to so far."
          : `Entered ${plural(entries, "time")}, ${duration(tally.times.get(state.path) ?? 0)} in all.`}
      </p>
      <Lines name="on entry" lines={state.entry} />
      <Lines name="on exit" lines={state.exit} />
      <Lines name="stays" lines={state.inner} />
      {ways.map((edge) => (
        <Lines
          key={edge.id}
          name={`to ${edge.target}`}
          lines={rowsText(edge).split("\n")}
          times={tally.edges.get(edge.id) ?? 0}
        />
      ))}
      <h4>
        {made.length === 0 ? "It changed no rows." : `${plural(made.length, "change")} of rows made here`}
      </h4>
      <ol>
        {made.slice(-MAX_ROWS).map(({ seq, event, kind, text }) => (
          <li key={`${seq} ${kind} ${text}`}>
            <button type="button" className="sb-row-link" onClick={() => onGo(seq)}>
              <span className="sb-num">{seq}</span>
              <b>{shortened(kind, 60)}</b>
              <span>{shortened(text || event)}</span>
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
  times,
}: {
  readonly name: string;
  readonly lines: readonly string[];
  readonly times?: number;
}) {
  if (lines.length === 0) return null;
  return (
    <div className="sb-lines">
      <h4>
        {name}
        {times !== undefined && times > 0 && <span className="sb-num"> ×{times}</span>}
      </h4>
      {lines.map((line) => (
        <code key={line}>{line}</code>
      ))}
    </div>
  );
}

/** The row that was appended, or what of one was amended. */
function madeBy(change: LogEvent): Pick<MadeRow, "kind" | "text"> | undefined {
  if (change.type === "message.amended")
    return { kind: "amended", text: Object.keys(change.patch).join(", ") };
  if (change.type !== "message.appended") return undefined;
  const { ask, say, type, text } = change.message;
  return { kind: `${type}:${ask ?? say ?? "?"}`, text: text ?? "" };
}

function rowsMadeIn(trace: TraceReader, path: string, at: number): readonly MadeRow[] {
  const made: MadeRow[] = [];
  for (let seq = 0; seq <= at; seq += 1) {
    const event = trace.event(seq);
    if (event.record.kind !== "commit" || !isWithin(event.record.after, path)) continue;
    for (const change of event.record.log) {
      const row = madeBy(change);
      if (row !== undefined) made.push({ seq, event: nameOf(event), ...row });
    }
  }
  return made;
}
