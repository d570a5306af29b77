import { type ReactNode, useState } from "react";
import { plural } from "../../../../present/plural.ts";
import type { Moment } from "../../../trace/moment.ts";
import { errorText } from "../../model/format.ts";
import type { PaneProps } from "../../pane-props.ts";
import { Json } from "../../text/json.tsx";
import { shortened } from "../../text/printable.ts";
import { messageChanges } from "../messages/changes.ts";
import "./raw.css";

/** The levels of a record that are unfolded. */
const OPEN_LEVELS = 2;

/** The current event's record, and the messages that it changed, as JSON. */
export function RawPane({ trace, at }: Pick<PaneProps, "trace" | "at">): ReactNode {
  const moment = trace.moment(at);
  const messages = changedMessages(moment);
  const merged = trace.mergedIn(at);
  return (
    <div className="raw-pane">
      {merged > 1 && (
        <p className="sb-dim" role="note">
          The page keeps {plural(merged, "event")} in which this text grew as one, to save memory.
        </p>
      )}
      <Value key={`record ${at}`} name="record" value={moment.event.record} />
      {messages.length > 0 && (
        <Value
          key={`messages ${at}`}
          name={messages.length === 1 ? "message" : plural(messages.length, "message")}
          value={messages.length === 1 ? messages[0] : messages}
        />
      )}
    </div>
  );
}

/** The most messages that are shown: a compaction may replace all of them. */
const MESSAGES_MAX = 50;

/** The messages that an event changed, as they are after it. */
function changedMessages({ event, memory }: Moment) {
  const { log } = memory;
  const changes = messageChanges(event);
  const changed = [];
  for (let position = log.length - 1; position >= 0 && changed.length < changes.size; position -= 1) {
    const message = log.at(position);
    if (message !== undefined && changes.has(message.ts)) changed.push(message);
    if (changed.length === MESSAGES_MAX) break;
  }
  return changed.toReversed();
}

/** A value as JSON that can be copied. */
function Value({ name, value }: { readonly name: string; readonly value: unknown }): ReactNode {
  const [result, setResult] = useState("");
  const copy = (): void => {
    navigator.clipboard.writeText(JSON.stringify(value, null, 2)).then(
      () => setResult("copied"),
      (error: unknown) => setResult(`not copied: ${shortened(errorText(error), 120)}`),
    );
  };
  // A page that is not served securely has no clipboard.
  const canCopy = "navigator" in globalThis && "clipboard" in navigator;
  return (
    <section className="raw-value" aria-label={name}>
      <header>
        <h4>{name}</h4>
        <span role="status">{result}</span>
        {canCopy && (
          <button type="button" onClick={copy} aria-label={`Copy the ${name}`}>
            Copy
          </button>
        )}
      </header>
      <Json value={value} openLevels={OPEN_LEVELS} />
    </section>
  );
}
