import type { LogEvent } from "../../../../machines/message/log.ts";
import { plural } from "../../../../present/plural.ts";
import type { Explanation } from "../../../../wire/http/explanation.ts";
import { Short } from "../../text/plain.tsx";

/** The changes that a supposed event would make, as a list. */
export function Changes({ explanation }: { readonly explanation: Explanation }) {
  const { record, broken, before, after } = explanation;
  const lines = record?.kind === "commit" ? linesOf(record) : [];
  return (
    <>
      <p>
        <code>{before}</code> {before === after ? "stays" : "→ "}
        {before !== after && <code>{after}</code>}
      </p>
      {record === undefined && <p>Nothing would change.</p>}
      <ul className="why-changes">
        {lines.map((line, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: changes are identified by position
          <li key={position}>
            <Short text={line} maxChars={200} />
          </li>
        ))}
      </ul>
      {record !== undefined && (
        <p className={broken === undefined ? "why-holds" : "why-broken"}>
          {broken === undefined
            ? "The laws of messages would hold."
            : `Law ${broken.law} would be broken: ${broken.reason}.`}
        </p>
      )}
    </>
  );
}

type Commit = Extract<NonNullable<Explanation["record"]>, { kind: "commit" }>;

const linesOf = ({ log, conversation, calls, effects }: Commit): readonly string[] => [
  ...log.map(messageLine),
  ...(conversation.length === 0 ? [] : [`${plural(conversation.length, "change")} of the conversation`]),
  ...calls.map((call) => `${call.name}: ${call.phase === "settled" ? call.outcome.kind : call.phase}`),
  ...effects.map(({ type, id }) => `${type === "effect.started" ? "starts" : "stops"} ${id}`),
];

function messageLine(event: LogEvent): string {
  switch (event.type) {
    case "message.appended": {
      const { ask, say, text = "" } = event.message;
      return `message ${ask === undefined ? `say ${say}` : `ask ${ask}`}: ${text}`;
    }
    case "message.amended":
      return `message ${event.ts} changes: ${Object.keys(event.patch).join(", ")}`;
    case "message.grown":
      return `message ${event.ts} grows: ${event.text}`;
    default:
      return event.type;
  }
}
