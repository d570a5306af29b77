import type { Clock } from "../../actors/index.ts";
import type { JsonEventEmitter } from "../../client/index.ts";
import type { Host, Task } from "../../runtime/index.ts";
import type { StdinCommandOf } from "../../wire/index.ts";
import type { Leave } from "../run/index.ts";
import type { RequestIds } from "./request-ids.ts";

/** How long a session waits, in ms. */
export interface SessionDeadlines {
  /** For somebody to answer, once the input has ended. Default 2,000. */
  readonly inputEndedMs: number;
  /** For the ask that a cancel leads to, or one that is shown and not open yet. Default 8,000. */
  readonly openAskMs: number;
}

export const DEFAULT_SESSION_DEADLINES: SessionDeadlines = { inputEndedMs: 2_000, openAskMs: 8_000 };

export interface SessionOptions {
  readonly host: Host;
  readonly emitter: JsonEventEmitter;
  /** Whose `current` request the emitter tells. */
  readonly ids: RequestIds;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Makes the task of a `start`, that has yet to be run. */
  readonly create: (start: StdinCommandOf<"start">, taskId: string) => Promise<Task>;
  /** A request that fails ends the session. */
  readonly exitOnError: boolean;
  /** Whether the messages of the agent are written beside the events. */
  readonly withMessages: boolean;
  /** Ends the session with this code. */
  readonly leave: Leave;
  readonly deadlines?: Partial<SessionDeadlines>;
}
