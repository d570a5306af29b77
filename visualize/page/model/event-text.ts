import type { LogEvent } from "../../../machines/message/log.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";

/** An event's name: its cause's type, or its kind of record. */
export function nameOf({ record }: TraceEvent): string {
  switch (record.kind) {
    case "header":
      return "journal";
    case "version":
    case "effect.end":
      return record.kind;
    case "commit":
      return record.cause?.type ?? "start";
  }
}

/** An event's time, in milliseconds since 1970. */
export const timeOf = ({ record }: TraceEvent): number =>
  record.kind === "header" ? record.createdAt : record.at;

/** The text of an event for the search, in lower case. */
export function searchText(event: TraceEvent): string {
  const { record } = event;
  const texts = [nameOf(event), event.from];
  if (record.kind === "header") texts.push(record.title ?? "", record.workspace ?? "");
  if (record.kind === "commit") {
    texts.push(record.before, record.after, JSON.stringify(record.cause ?? {}));
    texts.push(...record.log.flatMap(textsOf), ...record.conversation.map((entry) => JSON.stringify(entry)));
  }
  if (record.kind === "effect.end") texts.push(record.callId, JSON.stringify(record.content));
  return texts.join("\n").toLowerCase();
}

function textsOf(change: LogEvent): readonly string[] {
  switch (change.type) {
    case "message.appended":
      return [change.message.ask ?? "", change.message.say ?? "", change.message.text ?? ""];
    case "message.grown":
      return [change.text];
    case "message.amended":
      return [change.patch.text ?? "", change.patch.progressStatus?.text ?? ""];
    default:
      return [];
  }
}
