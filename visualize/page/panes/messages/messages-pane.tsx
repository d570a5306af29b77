import type { ReactNode } from "react";
import type { Log } from "../../../../machines/message/log.ts";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import { topState } from "../../../../machines/message/states.ts";
import { decidingMessage, RULES } from "../../model/rules.ts";
import { indexOf, type TraceIndex } from "../../model/trace-index.ts";
import type { PaneProps } from "../../pane-props.ts";
import { PagedList } from "../list/paged-list.tsx";
import { askStatusOf } from "./ask-status.ts";
import { messageChanges } from "./changes.ts";
import { MessageItem } from "./message-item.tsx";
import "./messages.css";

/** The most messages that are rendered at once. */
export const MESSAGES_MAX_ITEMS = 120;

/**
 * The messages of the task after the current event. Marked are the messages that the event changed, and the message that
 * decides the state, with its rule. A click on a message goes to the event that appended it.
 */
export function MessagesPane({ trace, at, onGo }: PaneProps): ReactNode {
  const { event, memory, rule, derived } = trace.moment(at);
  const { log } = memory;
  const index = indexOf(trace);
  const changes = messageChanges(event);
  const deciding = decidingMessage(log, rule);
  const itemAt = (position: number): ReactNode => {
    const message = log.at(position);
    if (message === undefined) return null;
    const status = askStatusOf(message, position === log.length - 1, index, at);
    return (
      <MessageItem
        key={`${position} ${message.ts}`}
        message={message}
        position={position}
        seq={index.appendedBy.get(message.ts)}
        tool={message.callId === undefined ? undefined : index.toolNames.get(message.callId)}
        status={status?.text}
        statusTone={status?.tone}
        change={changes.get(message.ts)}
        written={writesOf(message, index, at)}
        {...(position === deciding && { rule, ruleText: RULES[rule] })}
        eventOf={index.eventOf}
        onGo={onGo}
      />
    );
  };
  return (
    <PagedList
      label="Messages"
      of="messages"
      length={log.length}
      focus={focusOf(log, changes)}
      size={MESSAGES_MAX_ITEMS}
      at={at}
      none="No messages yet."
      item={itemAt}
      head={
        <header className="messages-state">
          <span className="messages-badge" data-state={topState(derived.state)}>
            {derived.state}
          </span>
          <b>{rule}</b> <span>{RULES[rule]}</span>
        </header>
      }
    />
  );
}

/** The writes of this ask's call until event `at`. An ask that was withdrawn did not start it. */
function writesOf({ type, closing, callId = "" }: ClineMessage, { writes }: TraceIndex, at: number) {
  const written = type === "ask" && closing !== "withdrawn" ? writes.get(callId) : undefined;
  return written !== undefined && written.seq <= at ? written : undefined;
}

/** The newest message that the event changed, if it is among the last; else the newest of all. */
function focusOf(log: Log, changes: ReadonlyMap<number, unknown>): number {
  const oldest = changes.size === 0 ? log.length : Math.max(0, log.length - MESSAGES_MAX_ITEMS);
  for (let position = log.length - 1; position >= oldest; position -= 1) {
    if (changes.has(log.at(position)?.ts ?? -1)) return position;
  }
  return log.length - 1;
}
