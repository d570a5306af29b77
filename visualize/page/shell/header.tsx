import { type ReactNode, useState } from "react";
import { formatAge } from "../../../present/age.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";
import type { Moment } from "../../trace/moment.ts";
import type { Lab } from "../lab/use-lab.ts";
import { costText, count } from "../model/format.ts";
import { statusOf } from "../model/status.ts";
import type { Connection } from "../sources/connection.ts";
import { ConnectionNotice } from "./connection-notice.tsx";
import { DamageNotice } from "./damage-notice.tsx";
import { NeedsYouNotice } from "./needs-you-notice.tsx";
import { Outcome } from "./outcome.tsx";
import { StateBadge } from "./state-badge.tsx";
import { TaskPath, type TaskPathProps } from "./task-path.tsx";
import { TasksButton, type TasksButtonProps } from "./tasks-button.tsx";
import { TranscriptNotice } from "./transcript-notice.tsx";

const THEMES = ["auto", "dark", "light"] as const;
export type Theme = (typeof THEMES)[number];

/** The page's theme, and a function that switches to the next one. */
export function useTheme(start: Theme): readonly [Theme, () => void] {
  const [theme, setTheme] = useState(start);
  return [theme, () => setTheme((now) => THEMES[(THEMES.indexOf(now) + 1) % THEMES.length] ?? "auto")];
}

export interface HeaderProps extends TaskPathProps, Omit<TasksButtonProps, "onClick"> {
  /** The time from the start of the task to its last event, or to now while its process is alive, in milliseconds. */
  readonly age: number | undefined;
  readonly moment: Moment | undefined;
  /** The task's entry in the task list. */
  readonly info: TaskInfo | undefined;
  /** Whether the newest event is shown. */
  readonly isAtEnd: boolean;
  /** Undefined: the source is recorded. */
  readonly connection: Connection | undefined;
  readonly theme: Theme;
  readonly lab: Lab;
  readonly isComparing: boolean;
  /** The subtasks of the task that need a person. */
  readonly subtasksNeedingYou: readonly TaskInfo[];
  readonly hasActions: boolean;
  readonly onTheme: () => void;
  readonly onTaskList: () => void;
  readonly onCompare: () => void;
  readonly onBreakpoints: () => void;
  readonly share: ReactNode;
  readonly onHelp: () => void;
}

const CONNECTIONS = {
  connecting: ["◌", "connecting"],
  connected: ["●", "connected"],
  lost: ["✕", "connection lost"],
  refused: ["✕", "rejected"],
  recorded: ["◼", "recorded"],
} as const;

const LAB_LABELS: Readonly<Record<string, string>> = { suite: "Suite", verification: "Verification" };

export function Header(props: HeaderProps) {
  const {
    title,
    isBeside,
    parents,
    age,
    moment,
    info,
    isAtEnd,
    connection,
    theme,
    isTaskList,
    lab,
    isComparing,
    tasks,
    tasksNeedingYou,
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
      <TaskPath {...{ title, isBeside, parents }} onOpen={props.onOpen} />
      {interrupted !== undefined ? (
        <StateBadge state={interrupted.state} label={statusOf(interrupted).word} />
      ) : (
        moment !== undefined && <StateBadge state={moment.derived.state} path={moment.state} />
      )}
      {info !== undefined && !isTaskList && <Outcome info={info} isAtEnd={isAtEnd} />}
      {age !== undefined && (
        <span className="sb-num sb-head-age" title="from its start to its last event, or to now">
          {formatAge(age)}
        </span>
      )}
      {moment !== undefined && (
        <span className="sb-num sb-head-cost" title="cost and tokens up to this event">
          {costText(total === undefined ? 0 : total.cost)}{" "}
          <span className="sb-dim">{count((total?.tokensIn ?? 0) + (total?.tokensOut ?? 0))} tokens</span>
        </span>
      )}
      <span className="sb-connection" data-connection={connection ?? "recorded"} role="status" title={word}>
        {sign} <span>{word}</span>
      </span>
      <nav aria-label="Views">
        <TasksButton {...{ isTaskList, tasks, tasksNeedingYou }} onClick={props.onTaskList} />
        {Object.entries(lab).map(
          ([name, { exists, shown, toggle }]) =>
            exists && (
              <button key={name} type="button" aria-pressed={shown !== undefined} onClick={toggle}>
                {LAB_LABELS[name]}
              </button>
            ),
        )}
        <button type="button" aria-pressed={isComparing} onClick={props.onCompare}>
          Compare
        </button>
        {hasActions && (
          <button type="button" onClick={props.onBreakpoints}>
            Breakpoints
          </button>
        )}
        {props.share}
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
      <DamageNotice problem={info?.problem} />
      {!isTaskList && (
        <NeedsYouNotice task={info} subtasks={props.subtasksNeedingYou} onOpen={props.onOpen} />
      )}
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
