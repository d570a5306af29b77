import type { Counterexample } from "../../../trace/counterexample.ts";
import { lawBrokenAt } from "../../model/laws.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import { shortened } from "../../text/printable.ts";
import { BrokenLaw } from "./broken-law.tsx";
import "./laws.css";

export interface CounterexampleBannerProps {
  readonly counterexample: Counterexample | undefined;
  readonly trace: TraceSnapshot;
  readonly at: number;
  readonly onGo: (seq: number) => void;
}

/** The law that the path of a counterexample breaks, and where. Nothing for any other trace. */
export function CounterexampleBanner({ counterexample, trace, at, onGo }: CounterexampleBannerProps) {
  if (counterexample === undefined) return null;
  const { law, title, what, event, seq, test } = counterexample;
  const broken = seq === undefined ? undefined : lawBrokenAt(trace.index.laws, seq, counterexample);
  return (
    <aside className="laws-banner" aria-label="Counterexample">
      <p className="laws-headline">
        <b>{law} is broken</b>
        <span>
          ({shortened(title, 400)}): {shortened(what, 400)}
        </span>
        {seq !== undefined && seq !== at && (
          <button type="button" onClick={() => onGo(seq)}>
            Go to event {seq}
          </button>
        )}
        {test !== undefined && (
          <a
            className="laws-save"
            download={`${law.toLowerCase()}.test.ts`}
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(test)}`}
          >
            Save as test
          </a>
        )}
      </p>
      {broken === undefined ? (
        <p className="laws-taken">
          It is broken after the last event, by <code>{shortened(event, 400)}</code>, which left no record.
        </p>
      ) : (
        <BrokenLaw broken={broken} trace={trace} />
      )}
    </aside>
  );
}
