import type { PaneProps } from "../pane-props.ts";

interface Matches extends Pick<PaneProps, "at" | "onGo"> {
  /** The events that match the query, in their order. */
  readonly matches: readonly number[];
}

export interface EventSearchProps extends Matches {
  readonly query: string;
  readonly onQuery: (query: string) => void;
}

/** The search in the events and texts of a trace, with the number of the current match. */
export function EventSearch(props: EventSearchProps) {
  const { at, query, matches, onQuery } = props;
  const match = matches.filter((seq) => seq <= at).length;
  return (
    <search className="sb-search">
      <input
        type="search"
        value={query}
        placeholder="Search events"
        aria-label="Search events and texts"
        data-search=""
        onChange={({ target }) => onQuery(target.value)}
        onKeyDown={({ key, currentTarget, shiftKey }) => {
          if (key === "Enter") goToMatch(shiftKey ? -1 : 1, props);
          if (key === "Escape") {
            onQuery("");
            currentTarget.blur();
          }
        }}
      />
      {query !== "" && (
        <span className="sb-num" aria-live="polite">
          {matches.length === 0 ? "none" : `${match} / ${matches.length}`}
        </span>
      )}
    </search>
  );
}

/** Go to the next match in this direction, wrapping around. */
export function goToMatch(by: 1 | -1, { matches, at, onGo }: Matches): void {
  const next =
    by === 1
      ? (matches.find((seq) => seq > at) ?? matches[0])
      : (matches.findLast((seq) => seq < at) ?? matches.at(-1));
  if (next !== undefined) onGo(next);
}
