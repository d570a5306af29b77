import { useState } from "react";
import type { TaskInfo } from "../../../wire/http/api.ts";
import type { Moment } from "../../trace/moment.ts";
import { count, dollars } from "../model/format.ts";
import { statusOf } from "../model/status.ts";
import type { Connection } from "../sources/connection.ts";
import type { SuiteState } from "../suite/use-suite.ts";
import { shortened } from "../text/printable.ts";
import { ConnectionNotice } from "./connection-notice.tsx";
import { StateBadge } from "./state-badge.tsx";
import { TranscriptNotice } from "./transcript-notice.tsx";

const THEMES = ["auto", "dark", "light"] as const;
export type Theme = (typeof THEMES)[number];

/** The page's theme, and a function that switches to the next one. */
export function useTheme(start: Theme): readonly [Theme, () => void] {
  const [theme, setTheme] = useState(start);
  return [theme, () => setTheme((now) => THEMES[(THEMES.indexOf(now) + 1) % THEMES.length] ?? "auto")];
}

export interface HeaderProps {
  readonly title: string | undefined;
  /** The entry of its parent, if it is a subtask. */
  readonly parent: TaskInfo | undefined;
  readonly moment: Moment | undefined;
  /** The task's entry in the task list. */
  readonly info: TaskInfo | undefined;
  /** Whether the newest event is shown. */
  readonly isAtEnd: boolean;
  /** Undefined: the source is recorded. */
  readonly connection: Connection | undefined;
  readonly theme: Theme;
  readonly isTaskList: boolean;
  readonly suite: SuiteState;
  readonly isComparing: boolean;
  readonly tasks: number;
  readonly hasActions: boolean;
  readonly onOpen: (taskId: string) => void;
  readonly onTheme: () => void;
  readonly onTaskList: () => void;
  readonly onCompare: () => void;
  readonly onBreakpoints: () => void;
  readonly onHelp: () => void;
}

const CONNECTIONS = {
  connecting: ["◌", "connecting"],
  connected: ["●", "connected"],
  lost: ["✕", "connection lost"],
  refused: ["✕", "rejected"],
  recorded: ["◼", "recorded"],
} as const;

const PARENT_MAX_CHARS = 40;

export function Header(props: HeaderProps) {
  const {
    title,
    parent,
    moment,
    info,
    isAtEnd,
    connection,
    theme,
    isTaskList,
    suite,
    isComparing,
    tasks,
    hasActions,
  } = props;
  const [sign, word] = CONNECTIONS[connection ?? "recorded"];
  const total = moment?.memory.facts.total;
  // Opening a task whose process ended settles it first (L1).
  const interrupted = isAtEnd && info?.isInterrupted === true ? info : undefined;
  return (
    <header className="sb-head">
      <h1>
        <Logo />
        <span>signalbox</span>
      </h1>
      <span className="sb-title" title={shortened(title ?? "", 1_000)}>
        {parent !== undefined && (
          <>
            <button type="button" className="sb-link" onClick={() => props.onOpen(parent.id)}>
              {shortened(parent.title || parent.id, PARENT_MAX_CHARS)}
            </button>
            <span className="sb-dim"> ▸ </span>
          </>
        )}
        {shortened(title ?? "no task")}
      </span>
      {interrupted !== undefined ? (
        <StateBadge state={interrupted.state} label={statusOf(interrupted).word} />
      ) : (
        moment !== undefined && <StateBadge state={moment.derived.state} path={moment.state} />
      )}
      <span className="sb-num sb-head-cost" title="cost and tokens up to this event">
        {dollars(total === undefined ? 0 : total.cost)}{" "}
        <span className="sb-dim">{count((total?.tokensIn ?? 0) + (total?.tokensOut ?? 0))} tokens</span>
      </span>
      <span className="sb-connection" data-connection={connection ?? "recorded"} role="status" title={word}>
        {sign} <span>{word}</span>
      </span>
      <nav aria-label="Views">
        <button type="button" aria-pressed={isTaskList} onClick={props.onTaskList}>
          Tasks <span className="sb-num sb-dim">{tasks}</span>
        </button>
        {suite.exists && (
          <button type="button" aria-pressed={suite.shown !== undefined} onClick={suite.toggle}>
            Suite
          </button>
        )}
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
      <ConnectionNotice connection={connection} />
      <TranscriptNotice transcript={info?.transcript} />
    </header>
  );
}

function Logo() {
  return (
    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
      <path d="M7 2v16M3.5 18h7" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" fill="none" />
      <path d="M7 3.6l11-2v4.6L7 8.2z" className="sb-logo-arm" />
      <circle cx="7" cy="12" r="2.2" className="sb-logo-lamp" />
    </svg>
  );
}
