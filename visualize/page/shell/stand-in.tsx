import type { PaneProps } from "../pane.ts";

/** The rows as plain lines. */
export function MessagesPane({ trace, at }: PaneProps) {
  const { memory } = trace.moment(at);
  return (
    <ol className="sb-events">
      {memory.log.toArray().map(({ ts, type, ask, say, text }) => (
        <li key={ts}>
          <b className="sb-mono">
            {type}:{ask ?? say}
          </b>{" "}
          {text}
        </li>
      ))}
    </ol>
  );
}

export function SequencePane({ trace, at }: PaneProps) {
  return <p className="sb-none">{trace.event(at).from}</p>;
}

export function ConversationPane({ trace, at }: PaneProps) {
  return <p className="sb-none">{JSON.stringify(trace.moment(at).memory.conversation)}</p>;
}
