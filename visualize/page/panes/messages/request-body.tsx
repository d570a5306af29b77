import type { ReactNode } from "react";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import { isRequestOpen, requestInfo } from "../../../../machines/message/request.ts";
import { dollars, grouped } from "../../model/format.ts";
import { Plain, Short } from "../../text/plain.tsx";

const CANCELS: ReadonlyMap<string, string> = new Map([
  ["user_cancelled", "cancelled"],
  ["streaming_failed", "the stream failed"],
]);

const COUNTS = [
  ["tokensIn", "in"],
  ["tokensOut", "out"],
  ["cacheReads", "cache reads"],
  ["cacheWrites", "cache writes"],
] as const;

/** One attempt of a request: open, or its usage and how it ended. */
export function RequestBody({ message }: { readonly message: ClineMessage }): ReactNode {
  const info = requestInfo(message);
  if (info === undefined) return <Plain text={message.text ?? ""} />;
  const { cost, cancelReason, streamingFailedMessage, apiProtocol } = info;
  const used = COUNTS.filter(([name]) => (info[name] ?? 0) > 0);
  return (
    <div className="messages-request">
      {isRequestOpen(message) && <span className="messages-badge messages-tone-ask">open</span>}
      {used.map(([name, word]) => (
        <span key={name} className="messages-badge">
          <b>{grouped(info[name] ?? 0)}</b> {word}
        </span>
      ))}
      {cost !== undefined && cost !== 0 && (
        <span className="messages-badge">
          <b>{dollars(cost)}</b>
        </span>
      )}
      {apiProtocol !== undefined && (
        <span className="messages-muted">
          <Short text={apiProtocol} maxChars={24} />
        </span>
      )}
      {cancelReason !== undefined && (
        <span className="messages-badge messages-tone-bad">
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
