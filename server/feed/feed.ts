import type { Clock } from "../../actors/index.ts";
import type { Host, Task } from "../../runtime/index.ts";
import { type JournalDriver, readJournal } from "../../store/index.ts";
import {
  Channel,
  Follower,
  type FollowOptions,
  LiveEvents,
  type LiveEventsOptions,
  TraceError,
  traceJson,
  type Waiter,
} from "../../trace/index.ts";
import type { ServerBounds } from "../bounds.ts";
import { ServerError } from "../error.ts";
import { OnceEncoded } from "./once-encoded.ts";
import { sayPosition } from "./position.ts";

export interface FeedOptions {
  readonly host: Host;
  readonly journal: (taskId: string) => Pick<JournalDriver, "path" | "read">;
  readonly clock: Clock;
  readonly bounds: Pick<ServerBounds, "liveEvents" | "liveChars">;
}

/** What a stream is told next: as of a follower, with each event as JSON. */
export type Telling =
  | { readonly type: "event"; readonly id: string; readonly json: string }
  | { readonly type: "live" | "pause" | "behind" };

/** The events of all tasks: of those that are open here as they come, of all others as they are recorded. */
export class Feed {
  readonly #options: FeedOptions;
  readonly #channels = new Map<string, Channel>();
  readonly #encoded = new OnceEncoded();
  readonly #opened: { unsubscribe(): void };

  constructor(options: FeedOptions) {
    this.#options = options;
    for (const task of options.host.tasks.values()) this.#open(task);
    this.#opened = options.host.opened$.subscribe((task) => this.#open(task));
  }

  /**
   * Tells a task's events from there on, for as long as the waiter is there.
   * @throws ServerError `POSITION_INVALID` for a place that the task's journal does not reach
   * @throws JournalError those of reading
   */
  async *follow(
    taskId: string,
    waiter: Waiter,
    options: Pick<FollowOptions, "at" | "microsteps"> = {},
  ): AsyncGenerator<Telling, void> {
    const channel = this.#channel(taskId);
    channel.followers += 1;
    try {
      for await (const told of new Follower(channel, waiter, options).told())
        yield told.type === "event"
          ? { type: "event", id: sayPosition(told.position), json: traceJson(told.event, this.#encoded.json) }
          : told;
    } catch (error) {
      if (error instanceof TraceError && error.code === "TRACE_POSITION")
        throw new ServerError("POSITION_INVALID", error.message, { cause: error });
      throw error;
    } finally {
      channel.followers -= 1;
      this.#forget(channel);
    }
  }

  /** No more tasks are watched as they are opened. */
  close(): void {
    this.#opened.unsubscribe();
  }

  #open(task: Task): void {
    const channel = this.#channel(task.id);
    const { clock, bounds } = this.#options;
    const weight = { max: bounds.liveChars, of: this.#charsOf };
    channel.open(new LiveEvents(task, channel, { events: bounds.liveEvents, weight, now: clock.now() }));
    task.events$.subscribe({ complete: () => this.#forget(channel) });
  }

  readonly #charsOf: NonNullable<LiveEventsOptions["weight"]>["of"] = ({ commit, microsteps }) =>
    this.#encoded.json(commit).length + (microsteps === undefined ? 0 : JSON.stringify(microsteps).length);

  #channel(taskId: string): Channel {
    const known = this.#channels.get(taskId);
    if (known !== undefined) return known;
    const journal = this.#options.journal(taskId);
    const channel = new Channel(taskId, () => readJournal(journal, { onTail: () => undefined }));
    this.#channels.set(taskId, channel);
    return channel;
  }

  #forget(channel: Channel): void {
    if (channel.followers === 0 && channel.live === undefined) this.#channels.delete(channel.taskId);
  }
}
