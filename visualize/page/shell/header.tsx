import type { Moment } from "../../../trace/index.ts";
import { count, dollars } from "../model/format.ts";
import { shortened } from "../text/index.ts";
import { StateChip } from "./state-mark.tsx";
import type { Theme } from "./use-theme.ts";

export interface HeaderProps {
  readonly title: string | undefined;
  readonly moment: Moment | undefined;
  readonly connection: "connecting" | "connected" | "lost" | "recorded";
  readonly theme: Theme;
  readonly isFleet: boolean;
  readonly isComparing: boolean;
  readonly tasks: number;
  readonly hasActions: boolean;
  readonly onTheme: () => void;
  readonly onFleet: () => void;
  readonly onCompare: () => void;
  readonly onBreakpoints: () => void;
  readonly onHelp: () => void;
}

const CONNECTIONS = {
  connecting: "◌ connecting",
  connected: "● connected",
  lost: "✕ connection lost",
  recorded: "◼ recorded",
} as const;

export function Header(props: HeaderProps) {
  const { title, moment, connection, theme, isFleet, isComparing, tasks, hasActions } = props;
  const total = moment?.memory.facts.total;
  return (
    <header className="sb-head">
      <h1>
        <Signal />
        signalbox
      </h1>
      <span className="sb-title" title={shortened(title ?? "", 1_000)}>
        {shortened(title ?? "no task")}
      </span>
      {moment !== undefined && <StateChip state={moment.derived.state} path={moment.state} />}
      <span className="sb-num sb-head-cost" title="cost and tokens up to here">
        {dollars(total?.cost ?? 0)}{" "}
        <span className="sb-dim">{count((total?.tokensIn ?? 0) + (total?.tokensOut ?? 0))} tokens</span>
      </span>
      <span className="sb-connection" data-connection={connection} role="status">
        {CONNECTIONS[connection]}
      </span>
      <nav aria-label="Views">
        <button type="button" aria-pressed={isFleet} onClick={props.onFleet}>
          Tasks <span className="sb-num sb-dim">{tasks}</span>
        </button>
        <button type="button" aria-pressed={isComparing} onClick={props.onCompare}>
          Compare
        </button>
        {hasActions && (
          <button type="button" onClick={props.onBreakpoints}>
            Breakpoints
          </button>
        )}
        <button
          type="button"
          title={`theme: ${theme}`}
          aria-label={`Theme: ${theme}`}
          onClick={props.onTheme}
        >
          {theme === "dark" ? "☾" : theme === "light" ? "☀" : "◐"}
        </button>
        <button type="button" title="keys" aria-label="Keys" onClick={props.onHelp}>
          ?
        </button>
      </nav>
    </header>
  );
}

function Signal() {
  return (
    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
      <path d="M7 2v16M3.5 18h7" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" fill="none" />
      <path d="M7 3.6l11-2v4.6L7 8.2z" className="sb-arm" />
      <circle cx="7" cy="12" r="2.2" className="sb-lamp" />
    </svg>
  );
}
