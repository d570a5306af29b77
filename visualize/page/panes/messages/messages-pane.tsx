import type { ReactNode } from "react";
import type { Log } from "../../../../machines/message/log.ts";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import { isRequestMessage, isRequestOpen } from "../../../../machines/message/request.ts";
import { topState } from "../../../../machines/message/states.ts";
import { decidingMessage, RULES } from "../../model/rules.ts";
import type { TraceIndex } from "../../model/trace-index.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import { PagedList } from "../list/paged-list.tsx";
import type { TranscriptProps } from "../transcript/transcript-props.ts";
import { type AskStatus, askStatusOf } from "./ask-status.ts";
import { resultOf } from "./call-result.tsx";
import { messageChanges } from "./changes.ts";
import { MessageItem } from "./message-item.tsx";
import { messageTitle } from "./message-title.ts";
import { openTime } from "./open-time.ts";
import "./messages.css";

/** The most messages that are rendered at once. */
export const MESSAGES_MAX_ITEMS = 120;

/**
 * The messages of the task after the current event. Marked are the messages that the event changed, and the message that
 * decides the state, with its rule. A click on a message goes to the event that appended it.
 */
export function MessagesPane(props: TranscriptProps): ReactNode {
  const { trace, at, until, ended, onGo, anchor, tools } = props;
  const { event, memory, rule, derived, actors } = trace.moment(at);
  const { log } = memory;
  const { index } = trace;
  const changes = messageChanges(event);
  const deciding = decidingMessage(log, rule);
  const itemAt = (position: number): ReactNode => {
    const message = log.at(position);
    if (message === undefined) return null;
    const isLast = position === log.length - 1;
    const hasEnded = ended !== undefined;
    const status =
      hasEnded && isRequestOpen(message) ? CUT_OFF : askStatusOf(message, { isLast, hasEnded, index, at });
    const isOpenAsk = status?.isOpen === true;
    return (
      <MessageItem
        key={`${position} ${message.ts}`}
        message={message}
        position={position}
        seq={index.appendedBy.get(message.ts)}
        source={sourceOf(message, trace)}
        title={messageTitle({ message, position, status, at }, trace)}
        status={status?.text}
        statusTone={status?.tone}
        openTime={openTime(message, { isOpenAsk, actors, index, until })}
        change={changes.get(message.ts)}
        written={writesOf(message, index, at)}
        result={hasOutput(log, position) ? undefined : resultOf(trace, message, at)}
        {...(position === deciding && { rule, ruleText: RULES[rule] })}
        eventOf={message.denial === undefined ? NO_EVENT : index.eventOf}
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
      anchor={anchor}
      none="No messages yet."
      item={itemAt}
      head={
        <header className="transcript-head messages-state">
          {ended === undefined ? (
            <>
              <span className="messages-badge" data-state={topState(derived.state)}>
                {derived.state}
              </span>
              <b>{rule}</b> <span className="transcript-note">{RULES[rule]}</span>
            </>
          ) : (
            <span>{ended}</span>
          )}
          {tools}
        </header>
      }
    />
  );
}

/** The tool of a call, or the model that a request was sent to, as far as the trace has it. */
function sourceOf(message: ClineMessage, trace: TraceSnapshot): string | undefined {
  const { index } = trace;
  if (message.callId !== undefined) return index.toolNames.get(message.callId);
  const sent = isRequestMessage(message) ? index.appendedBy.get(message.ts) : undefined;
  return sent === undefined ? undefined : trace.moment(sent).memory.facts.model?.id;
}

/** Messages after the message of a call among which its output is. */
const OUTPUT_DISTANCE_MAX = 16;

/** Whether the output of a message's call is a message of its own. */
function hasOutput(log: Log, position: number): boolean {
  const callId = log.at(position)?.callId;
  const end = Math.min(log.length, position + OUTPUT_DISTANCE_MAX);
  for (let next = position + 1; next < end; next += 1) {
    const { say, callId: of } = log.at(next) ?? {};
    if (of === callId && say === "command_output") return true;
  }
  return false;
}

const CUT_OFF: AskStatus = { text: "open when the process ended", tone: "warn" };

/** A new index has a new function: messages without a denial need none. */
const NO_EVENT = (): undefined => undefined;

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
