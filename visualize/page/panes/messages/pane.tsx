import type { ReactNode } from "react";
import type { ClineMessage } from "../../../../machines/message/index.ts";
import { topOf } from "../../model/state.ts";
import { indexOf } from "../../model/trace-index.ts";
import type { PaneProps } from "../../pane.ts";
import { ReadList } from "../reading/index.ts";
import { changesBy } from "./changes.ts";
import { standingOf } from "./closing.ts";
import { Row } from "./row.tsx";
import { decidingRow, RULES } from "./rules.ts";
import "./messages.css";

/** How many rows are on the page at once, however long the log is. */
export const MESSAGES_MAX_ROWS = 120;

/**
 * The rows of the task as they are at this place, as a chat. Marked are the rows that the event changed, and the row
 * that makes the state, with the rule by which it does. A click on a row goes to the event that appended it.
 */
export function MessagesPane({ trace, at, onGo }: PaneProps): ReactNode {
  const { event, memory, rule, derived } = trace.moment(at);
  const { log } = memory;
  const index = indexOf(trace);
  const changes = changesBy(event);
  const deciding = decidingRow(log, rule);
  const rowAt = (position: number): ReactNode => {
    const row = log.at(position);
    if (row === undefined) return null;
    const standing = standingOf(row, position === log.length - 1, index);
    return (
      <Row
        key={`${position} ${row.ts}`}
        row={row}
        position={position}
        seq={index.rows.get(row.ts)}
        tool={row.callId === undefined ? undefined : index.names.get(row.callId)}
        standing={standing?.words}
        standingTone={standing?.tone}
        change={changes.get(row.ts)?.detail}
        {...(position === deciding && { rule, sentence: RULES[rule] })}
        onGo={onGo}
      />
    );
  };
  return (
    <ReadList
      label="Messages"
      of="rows"
      length={log.length}
      focus={focusOf(log, changes)}
      size={MESSAGES_MAX_ROWS}
      place={at}
      none="There are no rows yet."
      item={rowAt}
      head={
        <header className="messages-state">
          <span className="messages-chip" data-state={topOf(derived.state)}>
            {derived.state}
          </span>
          <b>{rule}</b> <span>{RULES[rule]}</span>
        </header>
      }
    />
  );
}

interface Rows {
  readonly length: number;
  at(position: number): ClineMessage | undefined;
}

/** How far back a changed row is looked for: an older one is not worth leaving the newest for. */
const LOOK_BACK_ROWS = MESSAGES_MAX_ROWS;

/** The newest row that the event changed; else the newest of all. */
function focusOf(log: Rows, changes: ReadonlyMap<number, unknown>): number {
  const oldest = changes.size === 0 ? log.length : Math.max(0, log.length - LOOK_BACK_ROWS);
  for (let position = log.length - 1; position >= oldest; position -= 1) {
    if (changes.has(log.at(position)?.ts ?? -1)) return position;
  }
  return log.length - 1;
}
