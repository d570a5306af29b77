import { topState } from "../../../machines/message/states.ts";
import { nameOf, timeOf } from "../model/event-text.ts";
import { clock, duration } from "../model/format.ts";
import type { PaneProps } from "../pane-props.ts";
import { shortened } from "../text/printable.ts";
import { StateIcon } from "./state-badge.tsx";

/** The current event: its number, its state, its type, its cause and its time. */
export function EventPlace({ trace, at, onGo }: Pick<PaneProps, "trace" | "at" | "onGo">) {
  const { paths, times } = trace.index;
  const event = trace.event(at);
  const since = (times[at] ?? 0) - (times[0] ?? 0);
  return (
    <span className="sb-now" aria-live="polite">
      <b className="sb-num" data-testid="place">
        {at}
      </b>
      <span className="sb-num sb-dim"> / {trace.length - 1}</span>
      <StateIcon state={topState(paths[at] ?? "no_task")} />
      <b className="sb-mono">{shortened(nameOf(event))}</b>
      <span className="sb-dim">
        from <span className="sb-mono">{shortened(event.from)}</span>
        {event.because !== undefined && (
          <>
            {" "}
            started by{" "}
            <button type="button" className="sb-link sb-num" onClick={() => onGo(event.because ?? 0)}>
              {event.because}
            </button>
          </>
        )}
      </span>
      <span className="sb-num sb-dim">{clock(timeOf(event))}</span>
      <span className="sb-num sb-dim">+{duration(since)}</span>
    </span>
  );
}
