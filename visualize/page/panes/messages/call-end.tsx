import type { ReactNode } from "react";
import type { Denial, RecordPlace } from "../../../../machines/message/message.ts";
import { type FileWrite, lineStats } from "../../../../machines/tool-call/file-write.ts";
import type { CallWrites } from "../../model/trace-index.ts";
import { Short } from "../../text/plain.tsx";
import { DiffStats } from "./call-body.tsx";

/** Maximum records that are named as those since which a clause does not hold. */
const PLACES_MAX = 20;

interface DeniedProps {
  readonly denial: Denial;
  /** The event of a record. */
  readonly eventOf: (record: number) => number | undefined;
  readonly onGo: (seq: number) => void;
}

/** The source of a denial. The events since which a clause does not hold are links. */
export function Denied({ denial, eventOf, onGo }: DeniedProps): ReactNode {
  const since = "since" in denial ? denial.since.slice(0, PLACES_MAX) : [];
  return (
    <p className="messages-denial">
      denied by <Source denial={denial} />
      {since.length > 0 && " since "}
      {since.map((place, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: records are identified by position
        <span key={index}>
          {index > 0 && ", "}
          <Place place={place} event={eventOf(place.seq)} onGo={onGo} />
        </span>
      ))}
    </p>
  );
}

function Source({ denial }: Pick<DeniedProps, "denial">): ReactNode {
  if ("hook" in denial) return <Named kind="the hook" name={denial.hook} />;
  if ("rule" in denial) return <Named kind="the rule" name={denial.rule} />;
  return (
    <>
      <Named kind="the clause" name={denial.clause} /> <Named kind="of the policy" name={denial.policy} />
    </>
  );
}

function Named({ kind, name }: Readonly<{ kind: string; name: string }>): ReactNode {
  return (
    <>
      {kind}{" "}
      <code>
        <Short text={name} maxChars={200} />
      </code>
    </>
  );
}

/** Maximum files of a call that are listed. */
const FILES_MAX = 50;

interface WrittenProps extends Pick<DeniedProps, "onGo"> {
  readonly written: CallWrites;
}

/** The files that a call wrote, the intent that it wrote them under, and a link to the event. */
export function Written({ written: { seq, files, intent }, onGo }: WrittenProps): ReactNode {
  const left = files.length - FILES_MAX;
  return (
    <p className="messages-written">
      wrote{" "}
      {files.slice(0, FILES_MAX).map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: files are identified by position
        <span key={index}>
          <code>
            <Short text={file.path} />
          </code>{" "}
          <Change file={file} />{" "}
        </span>
      ))}
      {left > 0 && `and ${left} more `}
      {intent !== undefined && <Named kind="under the intent" name={intent} />} in{" "}
      <EventLink seq={seq} onGo={onGo} />
    </p>
  );
}

function Change({ file: { after, lines } }: { readonly file: FileWrite }): ReactNode {
  if (after === null) return "(deleted)";
  return lines === undefined ? "(no text)" : <DiffStats {...lineStats(lines)} />;
}

interface PlaceProps extends Pick<DeniedProps, "onGo"> {
  readonly place: RecordPlace;
  readonly event: number | undefined;
}

/** A record of another task has no link: this page may not have its trace. */
function Place({ place: { seq, task }, event, onGo }: PlaceProps): ReactNode {
  if (task === undefined && event !== undefined) return <EventLink seq={event} onGo={onGo} />;
  return (
    <>
      record {seq}
      {task !== undefined && (
        <>
          {" "}
          of task <Short text={task} />
        </>
      )}
    </>
  );
}

function EventLink({ seq, onGo }: { readonly seq: number } & Pick<DeniedProps, "onGo">): ReactNode {
  return (
    <button type="button" className="messages-link" onClick={() => onGo(seq)}>
      event {seq}
    </button>
  );
}
