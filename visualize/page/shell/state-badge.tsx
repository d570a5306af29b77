import type { ReactElement } from "react";
import type { AgentLoopState } from "../../../machines/message/states.ts";
import { STATE_LABELS } from "../model/state.ts";
import { shortened } from "../text/printable.ts";

/** The icon of each state, so that colour is not the only distinction. */
const ICONS: Readonly<Record<AgentLoopState, ReactElement>> = {
  no_task: (
    <circle
      cx="6"
      cy="6"
      r="3.6"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeDasharray="2 1.6"
    />
  ),
  running: <path d="M3 1.8 L10.4 6 L3 10.2 Z" fill="currentColor" />,
  streaming: (
    <path
      d="M1 4.2c1.7-2.2 3.3-2.2 5 0s3.3 2.2 5 0M1 8.4c1.7-2.2 3.3-2.2 5 0s3.3 2.2 5 0"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
    />
  ),
  waiting_for_input: <path d="M6 .9 L11.1 6 L6 11.1 L.9 6 Z" fill="currentColor" />,
  idle: <rect x="1.9" y="1.9" width="8.2" height="8.2" rx="1.4" fill="currentColor" />,
  resumable: <path d="M2.4 1.8h2.6v8.4H2.4zM7 1.8h2.6v8.4H7z" fill="currentColor" />,
};

/** A state's icon. */
export function StateIcon({ state }: { readonly state: AgentLoopState }) {
  return (
    <svg className="sb-icon" data-state={state} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      {ICONS[state]}
    </svg>
  );
}

interface StateBadgeProps {
  readonly state: AgentLoopState;
  readonly path?: string;
  /** Default: the state's name, with the child state. */
  readonly label?: string;
}

/** A state's icon and name. */
export function StateBadge({ state, path, label }: StateBadgeProps) {
  const inner = path?.includes(".") ? path.slice(path.indexOf(".") + 1) : undefined;
  return (
    <span className="sb-badge" data-state={state} title={shortened(path ?? state)}>
      <StateIcon state={state} />
      <span>{label ?? STATE_LABELS[state]}</span>
      {label === undefined && inner !== undefined && (
        <span className="sb-badge-path">{shortened(inner, 60)}</span>
      )}
    </span>
  );
}
