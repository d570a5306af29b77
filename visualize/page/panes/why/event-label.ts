import type { SupposedEvent } from "../../../../wire/http/explanation.ts";

/** Names of events for people, by their type. All others have their type as name. */
const NAMES: Readonly<Record<string, string>> = {
  "task.cancel": "Cancel the task",
  "journal.failed": "The journal can't be written",
  "llm.finished": "The response ends",
  "llm.failed": "The request fails",
  "tool.finished": "The call succeeds",
  "tool.failed": "The call fails",
  "timer.fired": "The time is up",
  "queue.added": "Queue a message",
  "permissions.changed": "Change the permissions",
  "task.pause": "Pause the task",
  "wake.scheduled": "Schedule a wake-up",
  "wake.cleared": "Clear wake-ups",
  "wake.due": "A wake-up is due",
  "compact.requested": "Condense the conversation",
};

/** The field that tells events of one type apart. */
const DETAILS: readonly ((event: SupposedEvent) => unknown)[] = [
  ({ mode }) => mode,
  ({ callId }) => callId,
  ({ failure }) => fieldOf(failure, "code"),
];

/** The name of a supposed event: `Answer no`, `The call fails (toolu_1)`. */
export function eventLabel(event: SupposedEvent): string {
  const answer = fieldOf(event.answer, "kind");
  if (event.type === "ask.answered" && typeof answer === "string") return `Answer ${answer}`;
  const name = NAMES[event.type] ?? event.type;
  const detail = DETAILS.map((detailOf) => detailOf(event)).find((value) => typeof value === "string");
  return detail === undefined ? name : `${name} (${detail})`;
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
