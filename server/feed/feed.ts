import type { Clock, JournalDriver } from "../../actors/index.ts";
import type { Host, Task } from "../../client/index.ts";
import type { ServerBounds } from "../bounds.ts";
import type { Sleeper } from "./bell.ts";
import { Channel } from "./channel.ts";
import { Follower, type Told } from "./follow.ts";
import { LiveTrace } from "./live-trace.ts";
import type { Position } from "./position.ts";

export interface FeedOptions {
  readonly host: Host;
  readonly journal: (taskId: string) => Pick<JournalDriver, "path" | "read">;
  readonly clock: Clock;
  readonly bounds: Pick<ServerBounds, "liveEvents" | "liveChars">;
}

/** The events of all tasks: of those that are open here as they come, of all others as they are recorded. */
export class Feed {
  readonly #options: FeedOptions;
  readonly #channels = new Map<string, Channel>();
  readonly #opened: { unsubscribe(): void };

  constructor(options: FeedOptions) {
    this.#options = options;
    for (const task of options.host.tasks.values()) this.#open(task);
    this.#opened = options.host.opened$.subscribe((task) => this.#open(task));
  }

  /** Tells a task's events from there on, for as long as the sleeper is there. */
  async *follow(taskId: string, sleeper: Sleeper, at: Position | undefined): AsyncGenerator<Told, void> {
    const channel = this.#channel(taskId);
    channel.followers += 1;
    try {
      yield* new Follower(channel, sleeper, at).told();
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
    const { bell, journal } = channel;
    channel.open(new LiveTrace(task, { clock, bounds, bell, journal }));
    task.events$.subscribe({ complete: () => this.#forget(channel) });
  }

  #channel(taskId: string): Channel {
    const known = this.#channels.get(taskId);
    if (known !== undefined) return known;
    const channel = new Channel(taskId, this.#options.journal(taskId));
    this.#channels.set(taskId, channel);
    return channel;
  }

  #forget(channel: Channel): void {
    if (channel.followers === 0 && channel.live === undefined) this.#channels.delete(channel.taskId);
  }
}
