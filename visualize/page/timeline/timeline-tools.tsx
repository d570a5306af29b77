import type { TimelineOptions } from "./options.ts";

export interface TimelineToolsProps {
  readonly options: TimelineOptions;
  /** Whether only the state is shown: there is no room for the other tools. */
  readonly isStrip: boolean;
  readonly onOptions: (options: TimelineOptions) => void;
  readonly onZoom: (steps: 1 | -1) => void;
  /** Undefined: the whole timeline is shown. */
  readonly onFit: (() => void) | undefined;
}

/** The buttons beside the overview. */
export function TimelineTools({ options, isStrip, onOptions, onZoom, onFit }: TimelineToolsProps) {
  const { isTime, isExpanded, hasList } = options;
  return (
    <div className="sb-lanes-tools" role="toolbar" aria-label="Timeline">
      {!isStrip && (
        <>
          <select
            aria-label="Axis"
            value={isTime ? "time" : "event"}
            onChange={({ target }) => onOptions({ ...options, isTime: target.value === "time" })}
          >
            <option value="time">by time</option>
            <option value="event">by event</option>
          </select>
          <button type="button" aria-label="Zoom out" title="zoom out (−)" onClick={() => onZoom(-1)}>
            −
          </button>
          <button type="button" aria-label="Zoom in" title="zoom in (+)" onClick={() => onZoom(1)}>
            +
          </button>
          <button type="button" title="show all (0)" disabled={onFit === undefined} onClick={onFit}>
            Fit
          </button>
          <button
            type="button"
            aria-pressed={hasList}
            title="the bars as text"
            onClick={() => onOptions({ ...options, hasList: !hasList })}
          >
            List
          </button>
        </>
      )}
      <button
        type="button"
        aria-expanded={isExpanded}
        title={isExpanded ? "fewer lanes" : "all lanes"}
        aria-label={isExpanded ? "Fewer lanes" : "All lanes"}
        onClick={() => onOptions({ ...options, isExpanded: !isExpanded })}
      >
        {isExpanded ? "▾" : "▴"}
      </button>
    </div>
  );
}
