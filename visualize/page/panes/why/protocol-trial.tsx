import { useState } from "react";
import { plural } from "../../../../present/plural.ts";
import type { ControlReplayChange, ControlReplayed } from "../../../../wire/http/control-replay.ts";
import { useRequests } from "../../actions/use-requests.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import type { PageSource } from "../../source.ts";
import { shortened } from "../../text/printable.ts";

export interface ProtocolTrialProps {
  readonly trace: TraceSnapshot;
  readonly control: NonNullable<PageSource["control"]>;
  readonly onGo: (seq: number) => void;
}

/** The numbers of a protocol, with their defaults and limits. */
const NUMBERS = [
  { name: "threshold", label: "Threshold", start: 0.5, max: 1, step: "any" },
  { name: "audits", label: "Audits", start: 1, max: undefined, step: 1 },
  { name: "score", label: "Score without a recorded one", start: 1, max: 1, step: "any" },
] as const;

/** Asks for the verdicts that another control protocol would have given about the task. Nothing runs. */
export function ProtocolTrial({ trace, control, onGo }: ProtocolTrialProps) {
  const [protocols, setProtocols] = useState<readonly string[]>();
  const [replayed, setReplayed] = useState<ControlReplayed>();
  const [problem, setProblem] = useState("");
  const { isBusy, run } = useRequests(setProblem);
  const load = (isOpen: boolean): void => {
    if (isOpen && protocols === undefined) run(async () => setProtocols(await control.protocols()));
  };
  const replay = (form: FormData): void => {
    setReplayed(undefined);
    run(async () =>
      setReplayed(
        await control.replay({
          taskId: trace.taskId,
          protocol: String(form.get("protocol")),
          ...Object.fromEntries(NUMBERS.map(({ name }) => [name, Number(form.get(name))])),
        }),
      ),
    );
  };
  return (
    <details className="why-if why-protocol" onToggle={({ currentTarget }) => load(currentTarget.open)}>
      <summary>With another protocol …</summary>
      <form
        className="why-rule"
        onSubmit={(event) => {
          event.preventDefault();
          replay(new FormData(event.currentTarget));
        }}
      >
        <select name="protocol" aria-label="Protocol">
          {protocols?.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        {NUMBERS.map(({ name, label, start, max, step }) => (
          <label key={name}>
            {label}{" "}
            <input type="number" name={name} min={0} max={max} step={step} defaultValue={start} required />
          </label>
        ))}
        <button type="submit" disabled={isBusy || protocols === undefined}>
          Judge this task again
        </button>
      </form>
      <div aria-live="polite">
        {problem !== "" && <p className="why-broken">{shortened(problem, 600)}</p>}
        {replayed !== undefined && <Changes trace={trace} replayed={replayed} onGo={onGo} />}
      </div>
    </details>
  );
}

interface ChangesProps extends Pick<ProtocolTrialProps, "trace" | "onGo"> {
  readonly replayed: ControlReplayed;
}

function Changes({ trace, onGo, replayed: { decisions, withoutScores, changes, more } }: ChangesProps) {
  return (
    <>
      <p>
        {changes.length + more} of {plural(decisions, "verdict")} would differ. Nothing ran.
      </p>
      {withoutScores > 0 && (
        <p className="sb-dim">
          {plural(withoutScores, "verdict")} used a score that the journal does not have.
        </p>
      )}
      <ul className="why-changes" aria-label="Verdicts that differ">
        {changes.map((change) => (
          <li key={[change.taskId, change.point, change.record, change.callId].join(" ")}>
            <Place change={change} trace={trace} onGo={onGo} /> {change.recorded ?? "no protocol"} →{" "}
            <b>{shortened(change.now, 40)}</b>
            {change.reason !== undefined && `: ${shortened(change.reason, 200)}`}
            <span className="sb-dim"> {scoresText(change)}</span>
          </li>
        ))}
      </ul>
      {changes.some(({ isAfterChange }) => isAfterChange) && (
        <p className="sb-dim">
          *: an earlier verdict would have changed the course. The task shows what happened without it.
        </p>
      )}
      {more > 0 && <p className="sb-dim">{more} more</p>}
    </>
  );
}

const scoresText = ({ scores, isAfterChange }: ControlReplayChange): string =>
  [
    ...Object.entries(scores).map(([name, score]) => `${shortened(name, 40)} ${score.toFixed(2)}`),
    ...(isAfterChange ? ["*"] : []),
  ].join(", ");

/** A response, a call or a result, as a link to its event. */
function Place({
  change,
  trace,
  onGo,
}: Omit<ChangesProps, "replayed"> & { readonly change: ControlReplayChange }) {
  const { taskId, record, point, tool } = change;
  const text = shortened(tool === undefined ? point : `${point} ${tool}`, 80);
  const event = taskId === trace.taskId ? trace.index.eventOf(record) : undefined;
  if (event === undefined) return <a href={`#task=${encodeURIComponent(taskId)}&record=${record}`}>{text}</a>;
  return (
    <button type="button" className="sb-link" onClick={() => onGo(event)}>
      {text}
    </button>
  );
}
