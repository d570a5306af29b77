import { systemClock } from "../../../actors/index.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ChatModel, ModelEvent } from "../../../ports/model.ts";

/**
 * A clock for recorded tasks: it moves by what happens, not by how long this machine takes, so each recording has the
 * same times. A timer takes its real time, and then the clock shows at least the time for which it was set.
 */
export interface PacedClock extends Clock {
  advance(ms: number): void;
  /** The model, whose outputs move the clock. */
  paced(model: ChatModel): ChatModel;
}

const FIRST_OUTPUT_MS = 1_150;
const CHARACTER_MS = 9;

/** @param start Milliseconds since 1970 */
export function pacedClock(start: number): PacedClock {
  let now = start;
  const advance = (ms: number): void => {
    now += ms;
  };
  return {
    now: () => now,
    after(delayMs, fire, options) {
      const due = now + delayMs;
      const fireAtDue = (): void => {
        now = Math.max(now, due);
        fire();
      };
      return systemClock.after(delayMs, fireAtDue, options);
    },
    advance,
    paced: (model) => ({
      ...model,
      async *stream(request, signal) {
        advance(FIRST_OUTPUT_MS);
        for await (const event of model.stream(request, signal)) {
          advance(CHARACTER_MS * lengthOf(event));
          yield event;
        }
      },
    }),
  };
}

function lengthOf(event: ModelEvent): number {
  if (event.type === "tool.delta") return event.json.length;
  return event.type === "text.delta" || event.type === "thinking.delta" ? event.text.length : 0;
}
