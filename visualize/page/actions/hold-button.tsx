import type { UserEvent, WakeEvent } from "../../../machines/task/task.events.ts";
import type { HeldPlace, Holds } from "./use-breakpoints.ts";

export interface HoldButtonProps {
  readonly holds: Holds;
  readonly place: HeldPlace;
  /** Its accessible name: what is held. */
  readonly name: string;
  readonly text: string;
}

/** A button that sets a breakpoint, and removes one that is set. */
export function HoldButton({ holds, place, name, text }: HoldButtonProps) {
  const isSet = holds.has(place);
  return (
    <button
      type="button"
      className="sb-hold"
      aria-pressed={isSet}
      aria-label={name}
      title={name}
      onClick={() => holds.toggle(place)}
    >
      {isSet ? "●" : "○"}&nbsp;{text}
    </button>
  );
}

/** The events of a person and of the host, which are never held. */
const USER_EVENTS: Readonly<Record<(UserEvent | WakeEvent)["type"], true>> = {
  "task.start": true,
  "task.cancel": true,
  "task.pause": true,
  "mode.switched": true,
  "profile.selected": true,
  "permissions.changed": true,
  "completion.selected": true,
  "compact.requested": true,
  "queue.added": true,
  "queue.edited": true,
  "queue.removed": true,
  "wake.scheduled": true,
  "wake.cleared": true,
  "wake.due": true,
};

/** Whether events of this type can be held: an actor sends them. */
export const canHold = (type: string): boolean => type !== "" && !Object.hasOwn(USER_EVENTS, type);
