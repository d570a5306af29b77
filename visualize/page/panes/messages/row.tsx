import { type MouseEvent, memo, type ReactNode } from "react";
import type { ClineMessage } from "../../../../machines/message/index.ts";
import { clock } from "../../model/format.ts";
import { Folded, headOf, Json, printable, Short } from "../../text/index.ts";
import { Body } from "./body.tsx";
import { kindOf, type Tone } from "./kinds.ts";

export interface RowProps {
  readonly row: ClineMessage;
  readonly position: number;
  /** The event that appended it, where the trace has it. */
  readonly seq: number | undefined;
  /** The tool that it is about, where it is about a call. */
  readonly tool?: string | undefined;
  /** How the ask stands, in words. */
  readonly standing?: string | undefined;
  readonly standingTone?: Tone | undefined;
  /** What the event that is shown did to it. */
  readonly change?: string | undefined;
  /** The rule by which this row makes the state, and its sentence. */
  readonly rule?: string | undefined;
  readonly sentence?: string | undefined;
  readonly onGo: (seq: number) => void;
}

/** One row of a task's log. All that it is given is compared by value, so that only what changed is made anew. */
export const Row = memo(function Row(props: RowProps): ReactNode {
  const { row, position, seq, change, rule } = props;
  const { title, voice, tone } = kindOf(row, position);
  const marks = `${change === undefined ? "" : " messages-changed"}${rule === undefined ? "" : " messages-deciding"}`;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: for the keyboard there is the button in its head
    <li
      className={`messages-row messages-voice-${voice} messages-tone-${tone}${marks}`}
      onClick={(event) => {
        if (seq !== undefined && isPlainClick(event)) props.onGo(seq);
      }}
      {...(change !== undefined && { "data-marked": "" })}
    >
      <Head {...props} title={title} />
      <div className="messages-body">
        <Body row={row} position={position} />
        <Extras row={row} />
      </div>
      <Marks {...props} />
    </li>
  );
});

/** Not one on something that a click is for, and not the end of marking a piece of text. */
function isPlainClick({ target }: MouseEvent): boolean {
  const isOnControl = target instanceof Element && target.closest("a, button, summary") !== null;
  return !isOnControl && window.getSelection()?.isCollapsed !== false;
}

function Head({ row, title, tool, seq, onGo }: RowProps & { readonly title: string }): ReactNode {
  const kind = `${row.type}:${row.type === "ask" ? row.ask : row.say}`;
  return (
    <button
      type="button"
      className="messages-head"
      disabled={seq === undefined}
      onClick={() => seq !== undefined && onGo(seq)}
      title={
        seq === undefined
          ? "The trace doesn't say what appended this row"
          : `Go to event ${seq}, which appended it`
      }
    >
      <span className="messages-title">
        <Short text={title} />
      </span>
      <code className="messages-kind">
        <Short text={kind} maxChars={48} />
      </code>
      {tool !== undefined && (
        <code className="messages-tool">
          <Short text={tool} maxChars={40} />
        </code>
      )}
      <span className="messages-when">
        <time>{clock(row.ts)}</time> <span className="messages-ts">{String(row.ts)}</span>
      </span>
    </button>
  );
}

function Marks({ standing, standingTone, change, rule, sentence }: RowProps): ReactNode {
  if (standing === undefined && change === undefined && rule === undefined) return null;
  return (
    <div className="messages-marks">
      {standing !== undefined && (
        <span className={`messages-chip messages-tone-${standingTone ?? "plain"}`}>
          <Short text={standing} />
        </span>
      )}
      {change !== undefined && (
        <span className="messages-chip messages-here">
          <Short text={change} />
        </span>
      )}
      {rule !== undefined && (
        <span className="messages-rule">
          <b>{rule}</b> {sentence}
        </span>
      )}
    </div>
  );
}

const PAYLOADS = ["checkpoint", "contextCondense", "contextTruncation"] as const;

/** What stands in the rarer fields, and the row as it is recorded. */
function Extras({ row }: { readonly row: ClineMessage }): ReactNode {
  return (
    <>
      {row.images?.slice(0, IMAGES_MAX).map((image, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an image of a row is its place
        <p key={index} className="messages-muted">
          [image {index + 1}: <Short text={imageName(image)} />, not loaded]
        </p>
      ))}
      {row.reasoning !== undefined && row.reasoning !== "" && (
        <p className="messages-muted">
          <Short text={row.reasoning} maxChars={200} />
        </p>
      )}
      {row.progressStatus?.text !== undefined && (
        <p className="messages-muted">
          <Short text={row.progressStatus.text} />
        </p>
      )}
      {row.isProtected === true && <p className="messages-alarm">a protected file</p>}
      {PAYLOADS.map(
        (name) => row[name] !== undefined && <Json key={name} value={row[name]} name={name} openLevels={0} />,
      )}
      <Folded className="messages-raw" summary="as recorded">
        {() => <Json value={row} openLevels={2} />}
      </Folded>
    </>
  );
}

const IMAGES_MAX = 20;

/** A data URL's type and size; another address as it is. */
function imageName(url: string): string {
  const type = /^data:([^;,]{1,80})/.exec(url)?.[1];
  if (type === undefined) return headOf(url, 400);
  const kilobytes = ((url.length * 3) / 4 / 1024).toFixed(url.length < 10_000 ? 1 : 0);
  return `${printable(type)}, ${kilobytes} KB`;
}
