import type { ReactElement } from "react";
import type { TaskStatus, TaskStatusName } from "../../../../present/task-status.ts";

const stroke = { fill: "none", stroke: "currentColor", strokeWidth: 1.7, strokeLinecap: "round" } as const;

/** The glyph of each status: a state is a filled form, an outcome a sign. */
const GLYPHS: Readonly<Record<TaskStatusName, ReactElement>> = {
  waiting: <path d="M6 .9 L11.1 6 L6 11.1 L.9 6 Z" fill="currentColor" />,
  held: <path d="M2.2 1.8h2.6v8.4H2.2zM7.2 1.8h2.6v8.4H7.2z" fill="currentColor" />,
  running: <path d="M3 1.8 L10.4 6 L3 10.2 Z" fill="currentColor" />,
  streaming: (
    <path d="M1 4.2c1.7-2.2 3.3-2.2 5 0s3.3 2.2 5 0M1 8.4c1.7-2.2 3.3-2.2 5 0s3.3 2.2 5 0" {...stroke} />
  ),
  completed: <path d="M1.8 6.6 L4.8 9.4 L10.2 2.8" {...stroke} />,
  failed: <path d="M2.4 2.4 L9.6 9.6 M9.6 2.4 L2.4 9.6" {...stroke} />,
  denied: (
    <g {...stroke}>
      <circle cx="6" cy="6" r="4.6" />
      <path d="M2.8 9.2 L9.2 2.8" />
    </g>
  ),
  limited: <path d="M1.4 2.2h9.2M6 10.6V5.2M3.4 7.4 L6 4.8 L8.6 7.4" {...stroke} />,
  mistaken: (
    <g {...stroke}>
      <path d="M3.6 4a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2.9-1.2 1.7" />
      <path d="M6 10.6v.1" />
    </g>
  ),
  interrupted: <path d="M6.8 .8 L2.8 6.6 H6 L5.2 11.2 L9.4 5 H6.2 Z" fill="currentColor" />,
  ended: <path d="M1.6 6h8.8M1.6 3v6M10.4 3v6" {...stroke} />,
  damaged: <path d="M6 1.2 L11 10.6 H1 Z M6 4.8v2.4M6 9.1v.1" {...stroke} />,
  paused: <path d="M4 2.4v7.2M8 2.4v7.2" {...stroke} />,
  cancelled: <rect x="2.2" y="2.2" width="7.6" height="7.6" rx="1" {...stroke} />,
  new: <circle cx="6" cy="6" r="4" strokeDasharray="2 1.6" {...stroke} />,
};

/** The glyph and the word of a status. */
export function StatusMark({ status: { name, word } }: { readonly status: TaskStatus }) {
  return (
    <span className="sb-status" data-status={name} title={word}>
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        {GLYPHS[name]}
      </svg>
      <span>{word}</span>
    </span>
  );
}
