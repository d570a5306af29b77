import { takenGuard } from "../../../trace/explain/taken-guard.ts";
import type { BrokenLaw as Broken } from "../../model/laws.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import { shortened } from "../../text/printable.ts";
import "./laws.css";

export interface BrokenLawProps {
  readonly broken: Broken;
  readonly trace: TraceSnapshot;
}

/** The value that a law expected in an event beside the one that came, and the transition that the event took. */
export function BrokenLaw({ broken: { law, seq, expected, came }, trace }: BrokenLawProps) {
  return (
    <div className="laws-broken">
      <dl className="laws-versus">
        <div>
          <dt>{law} expects</dt>
          <dd>{shortened(expected, 400)}</dd>
        </div>
        <div>
          <dt>event {seq} has</dt>
          <dd>{shortened(came, 400)}</dd>
        </div>
      </dl>
      <TakenTransition trace={trace} seq={seq} />
    </div>
  );
}

/** The transition that an event took, and its guard with the values that it read. */
function TakenTransition({ trace, seq }: { readonly trace: TraceSnapshot; readonly seq: number }) {
  const taken = takenGuard(trace, seq);
  if (taken === undefined) return null;
  const { source, event, guard, targets } = taken.transition;
  const reads = taken.reads.filter(({ path }) => path !== "event.type");
  return (
    <p className="laws-taken">
      <code>{shortened(source, 60)}</code> <b>{event === "" ? "always" : shortened(event, 60)}</b> →{" "}
      <code>{targets.length === 0 ? "stays" : shortened(targets.join(", "), 120)}</code>
      {guard !== undefined && (
        <>
          {" "}
          because the guard <b className="laws-guard">{shortened(guard, 80)}</b> passed
          {taken.isRefused && <>; the guard of that name in signalbox fails</>}
          {reads.length > 0 && " with "}
          {reads.map(({ path, value }, position) => (
            <span key={path}>
              {position > 0 && ", "}
              <code>{shortened(`${path} = ${value}`, 120)}</code>
            </span>
          ))}
        </>
      )}
      .
    </p>
  );
}
