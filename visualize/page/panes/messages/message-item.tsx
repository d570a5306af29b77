import { type MouseEvent, memo, type ReactNode } from "react";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import type { Tone } from "../../../../present/kind.ts";
import { messageKind } from "../../../../present/message-kind.ts";
import { clock } from "../../model/format.ts";
import type { CallWrites } from "../../model/trace-index.ts";
import { Folded } from "../../text/folded.tsx";
import { Json } from "../../text/json.tsx";
import { Short } from "../../text/plain.tsx";
import { headOf, printable, shortened } from "../../text/printable.ts";
import { Denied, Written } from "./call-end.tsx";
import { CallResult } from "./call-result.tsx";
import { MessageBody } from "./message-body.tsx";

export interface MessageItemProps {
  readonly message: ClineMessage;
  readonly position: number;
  /** The event that appended it, if it is in the trace. */
  readonly seq: number | undefined;
  /** The title. Absent: the title of its kind. */
  readonly title?: string | undefined;
  /** The tool of a tool call, or the model of a request. */
  readonly source?: string | undefined;
  /** The status of an ask. */
  readonly status?: string | undefined;
  readonly statusTone?: Tone | undefined;
  /** How long it has been open, as text: an ask, a request, or a call whose tool runs. Absent: it is not. */
  readonly openTime?: string | undefined;
  /** The writes of its tool call. */
  readonly written?: CallWrites | undefined;
  /** The text of the result of its tool call. */
  readonly result?: string | undefined;
  /** The change by the current event. */
  readonly change?: string | undefined;
  /** The rule by which this message decides the state. */
  readonly rule?: string | undefined;
  readonly ruleText?: string | undefined;
  /** The event of a record. */
  readonly eventOf: (record: number) => number | undefined;
  readonly onGo: (seq: number) => void;
}

/** One message of a task's log. Its props are compared by value, so that only changed messages are rendered. */
export const MessageItem = memo(function MessageItem(props: MessageItemProps): ReactNode {
  const { message, position, seq, change, rule } = props;
  const { author, tone, title: ownTitle } = messageKind(message, position);
  const { title = ownTitle } = props;
  const marks = `${change === undefined ? "" : " messages-changed"}${rule === undefined ? "" : " messages-deciding"}`;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard uses the button in its header
    <li
      className={`messages-item messages-author-${author} messages-tone-${tone}${marks}`}
      onClick={(event) => {
        if (seq !== undefined && isPlainClick(event)) props.onGo(seq);
      }}
      {...(change !== undefined && { "data-marked": "" })}
    >
      <Head {...props} title={title} />
      <div className="messages-body">
        {message.denial !== undefined && <Denied {...props} denial={message.denial} />}
        <MessageBody message={message} position={position} />
        {props.result !== undefined && <CallResult text={props.result} />}
        {props.written !== undefined && <Written written={props.written} onGo={props.onGo} />}
        <Extras message={message} status={props.status} />
      </div>
      <Badges {...props} />
    </li>
  );
});

/** Whether a click is not on a control and does not end a text selection. */
function isPlainClick({ target }: MouseEvent): boolean {
  const isOnControl = target instanceof Element && target.closest("a, button, summary") !== null;
  return !isOnControl && window.getSelection()?.isCollapsed !== false;
}

function Head({
  message,
  title,
  source,
  seq,
  onGo,
}: MessageItemProps & { readonly title: string }): ReactNode {
  return (
    <button
      type="button"
      className="messages-head"
      disabled={seq === undefined}
      onClick={() => seq !== undefined && onGo(seq)}
      title={
        seq === undefined
          ? "The trace has no event that appended this message"
          : `Go to event ${seq}, which appended it`
      }
    >
      <span className="messages-title">
        <Short text={title} />
      </span>
      {source !== undefined && (
        <code className="messages-tool">
          <Short text={source} maxChars={40} />
        </code>
      )}
      <time className="messages-time">{clock(message.ts)}</time>
    </button>
  );
}

function Badges({ status, statusTone, openTime, change, rule, ruleText }: MessageItemProps): ReactNode {
  const isEmpty = [status, openTime, change, rule].every((one) => one === undefined);
  if (isEmpty) return null;
  return (
    <div className="messages-badges">
      {status !== undefined && (
        <span className={`messages-badge messages-tone-${statusTone ?? "plain"}`}>
          <Short text={status} />
        </span>
      )}
      {openTime !== undefined && <span className="messages-badge messages-tone-ask">{openTime}</span>}
      {change !== undefined && (
        <span className="messages-badge messages-changed-badge">
          <Short text={change} />
        </span>
      )}
      {rule !== undefined && (
        <span className="messages-rule">
          <b>{rule}</b> {ruleText}
        </span>
      )}
    </div>
  );
}

/** The type of a message, as a program reads it. */
const kindOf = ({ type, ask, say }: MessageItemProps["message"]): string =>
  shortened(`${type}:${type === "ask" ? ask : say}`, 48);

/** The rarer fields, and the raw message with its type. */
function Extras({ message, status }: Pick<MessageItemProps, "message" | "status">): ReactNode {
  const { reason } = message;
  return (
    <>
      {/* The status of a call that a rule allowed names the rule. */}
      {reason !== undefined && status?.endsWith(reason) !== true && (
        <p className="messages-muted">
          reason: <Short text={reason} maxChars={400} />
        </p>
      )}
      {message.images?.slice(0, IMAGES_MAX).map((image, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: images are identified by position
        <p key={index} className="messages-muted">
          [image {index + 1}: <Short text={imageName(image)} />, not loaded]
        </p>
      ))}
      {message.reasoning !== undefined && message.reasoning !== "" && (
        <p className="messages-muted">
          <Short text={message.reasoning} maxChars={200} />
        </p>
      )}
      {message.progressStatus?.text !== undefined && (
        <p className="messages-muted">
          <Short text={message.progressStatus.text} />
        </p>
      )}
      {message.isProtected === true && <p className="messages-alert">protected file</p>}
      {message.checkpoint !== undefined && (
        <Json value={message.checkpoint} name="checkpoint" openLevels={0} />
      )}
      <Folded className="messages-raw" summary={<span title={kindOf(message)}>⋯</span>}>
        {() => (
          <>
            <p className="messages-muted">
              <code>
                <Short text={kindOf(message)} maxChars={48} />
              </code>
            </p>
            <Json value={message} openLevels={2} />
          </>
        )}
      </Folded>
    </>
  );
}

const IMAGES_MAX = 20;

/** A data URL's type and size, or the URL. */
function imageName(url: string): string {
  const type = /^data:([^;,]{1,80})/.exec(url)?.[1];
  if (type === undefined) return headOf(url, 400);
  const kilobytes = ((url.length * 3) / 4 / 1024).toFixed(url.length < 10_000 ? 1 : 0);
  return `${printable(type)}, ${kilobytes} KB`;
}
