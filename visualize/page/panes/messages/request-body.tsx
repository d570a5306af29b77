import type { ReactNode } from "react";
import { type ClineMessage, isRequestOpen, requestInfo } from "../../../../machines/message/index.ts";
import { dollars, grouped } from "../../model/format.ts";
import { Plain, Short } from "../../text/index.ts";

const CANCELS: ReadonlyMap<string, string> = new Map([
  ["user_cancelled", "cancelled by the user"],
  ["streaming_failed", "the stream failed"],
]);

const COUNTS = [
  ["tokensIn", "in"],
  ["tokensOut", "out"],
  ["cacheReads", "read from the cache"],
  ["cacheWrites", "written to the cache"],
] as const;

/** One attempt of one request: open, or what it used and how it ended. */
export function RequestBody({ row }: { readonly row: ClineMessage }): ReactNode {
  const info = requestInfo(row);
  if (info === undefined) return <Plain text={row.text ?? ""} />;
  const { cost, cancelReason, streamingFailedMessage, apiProtocol } = info;
  const used = COUNTS.filter(([name]) => (info[name] ?? 0) > 0);
  return (
    <div className="messages-request">
      {isRequestOpen(row) && <span className="messages-chip messages-tone-ask">open</span>}
      {used.map(([name, word]) => (
        <span key={name} className="messages-chip">
          <b>{grouped(info[name] ?? 0)}</b> {word}
        </span>
      ))}
      {cost !== undefined && (
        <span className="messages-chip">
          <b>{dollars(cost)}</b>
        </span>
      )}
      {apiProtocol !== undefined && (
        <span className="messages-muted">
          <Short text={apiProtocol} maxChars={24} />
        </span>
      )}
      {cancelReason !== undefined && (
        <span className="messages-chip messages-tone-bad">
          {CANCELS.get(cancelReason) ?? <Short text={cancelReason} />}
        </span>
      )}
      {streamingFailedMessage !== undefined && (
        <p className="messages-failure">
          <Plain text={streamingFailedMessage} />
        </p>
      )}
    </div>
  );
}
