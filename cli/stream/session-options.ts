import type { JsonEventEmitter } from "../../client/roo/ndjson/json-event-emitter.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Host } from "../../runtime/host.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { StdinCommandOf } from "../../wire/ndjson/command.ts";
import type { Leave } from "../run/settings.ts";
import type { RequestIds } from "./request-ids.ts";

/** The times that a session waits, in ms. */
export interface SessionDeadlines {
  /** For an answer, once the input has ended. Default 2,000. */
  readonly inputEndedMs: number;
  /** For the ask after a cancel, or one that is shown but not open yet. Default 8,000. */
  readonly openAskMs: number;
}

export const DEFAULT_SESSION_DEADLINES: SessionDeadlines = { inputEndedMs: 2_000, openAskMs: 8_000 };

export interface SessionOptions {
  readonly host: Host;
  readonly emitter: JsonEventEmitter;
  /** The request ids of the emitter's events. */
  readonly ids: RequestIds;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Create the task of a `start` command, without running it. */
  readonly create: (start: StdinCommandOf<"start">, taskId: string) => Promise<Task>;
  /** Whether a failed request ends the session. */
  readonly exitOnError: boolean;
  /** Whether messages are written in addition to the events. */
  readonly withMessages: boolean;
  /** End the session with this exit code. */
  readonly leave: Leave;
  readonly deadlines?: Partial<SessionDeadlines>;
}
