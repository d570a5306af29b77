import type { WakeSignal } from "../../actors/protocol/wake-signal.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import type { LawCheck } from "../../runtime/breakpoints/macrosteps.ts";
import type { Host } from "../../runtime/host.ts";
import { HostError } from "../../runtime/task/errors.ts";
import type { Task } from "../../runtime/task/task.ts";
import { GrowingJournal } from "../../store/journal/growing-journal.ts";
import { readJournal } from "../../store/journal/reader.ts";
import { Channel } from "../../visualize/trace/live/channel.ts";
import { Follower, type FollowOptions } from "../../visualize/trace/live/follower.ts";
import { LiveEvents, type LiveEventsOptions } from "../../visualize/trace/live/live-events.ts";
import { NO_OPENING, type ReaderPosition } from "../../visualize/trace/live/position.ts";
import { TraceError } from "../../visualize/trace/recording/error.ts";
import { formatTraceEvent } from "../../visualize/trace/recording/trace-line.ts";
import type { ExplainBody, Explained } from "../../wire/http/explanation.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import type { ServerBounds } from "../bounds.ts";
import { ServerError } from "../error.ts";
import type { TaskFiles } from "../tasks/task-files.ts";
import { explainTask, momentOf, type TaskMoment } from "./explain-task.ts";
import { SubtaskTraces, type TreeItem } from "./subtask-traces.ts";
import type { TraceItem } from "./trace-item.ts";

export interface TaskTracesOptions {
  readonly host: Host;
  readonly journal: (taskId: string) => Pick<JournalDriver, "path" | "read">;
  readonly files: TaskFiles;
  readonly clock: Clock;
  readonly bounds: Pick<
    ServerBounds,
    "liveEvents" | "liveChars" | "listMs" | "subtaskTraces" | "subtaskEvents"
  >;
  /** The laws that explanations check. Default: L1. */
  readonly laws: LawCheck | undefined;
}

/** The traces of all tasks: of those that are open here as they happen, of all others as their journals grow. */
export class TaskTraces {
  readonly #options: TaskTracesOptions;
  readonly #channels = new Map<string, Channel>();
  /** Records and commits as JSON, while they are in memory: one text serves all clients. */
  readonly #texts = new WeakMap<object, string>();
  readonly #opened: { unsubscribe(): void };
  /** The timers of the readers of recorded tasks that changed. */
  readonly #grown = new Map<Channel, () => void>();

  constructor(options: TaskTracesOptions) {
    this.#options = options;
    for (const task of options.host.tasks.values()) this.#open(task);
    this.#opened = options.host.opened$.subscribe((task) => this.#open(task));
  }

  /**
   * A task's events from a position on, until the signal is aborted.
   * @throws ServerError `POSITION_INVALID` if the task's journal does not reach the position
   * @throws JournalError the codes of reading
   */
  async *follow(
    taskId: string,
    signal: WakeSignal,
    options: FollowOptions = {},
  ): AsyncGenerator<TraceItem, void> {
    const channel = this.#channel(taskId);
    channel.followers += 1;
    // Before the journal is read: no change is missed.
    const unwatch = this.#options.files.onChange((changed) => {
      if (changed === taskId) this.#collect(channel);
    });
    try {
      for await (const item of new Follower(channel, signal, options).items())
        yield item.type === "event"
          ? {
              type: "event",
              id: formatEventId(item.position),
              json: formatTraceEvent(item.event, this.#json),
              record: item.event.record,
            }
          : item;
    } catch (error) {
      if (error instanceof TraceError && error.code === "TRACE_POSITION")
        throw new ServerError("POSITION_INVALID", error.message, { cause: error });
      throw error;
    } finally {
      unwatch();
      channel.followers -= 1;
      this.#forget(channel);
    }
  }

  /**
   * A task's events as {@link follow} gives them, and the events of its subtasks, of any depth, from their beginnings.
   * @throws as {@link follow} does, for the task itself
   */
  followTree(
    taskId: string,
    signal: WakeSignal,
    options: FollowOptions = {},
  ): AsyncGenerator<TreeItem, void> {
    const { subtaskTraces: traces, subtaskEvents: events } = this.#options.bounds;
    return new SubtaskTraces(signal, {
      taskId,
      limits: { traces, events },
      own: (own) => this.follow(taskId, own, options),
      ofSubtask: (subtask, own) => this.follow(subtask, own, { whenBehind: "read" }),
      // A reader that starts at the beginning gets all records of the task.
      earlier: () => (options.at === undefined ? noRecords() : this.#recordsOf(taskId)),
    }).items();
  }

  #recordsOf(taskId: string): AsyncIterable<JournalRecord> {
    return readJournal(this.#options.journal(taskId), { onTail: () => undefined });
  }

  /** Explain a record of an open task. @throws as {@link explainTask} does */
  explain(task: Task, body: ExplainBody): Explained {
    return explainTask(task, this.#live(task), body, this.#options.laws);
  }

  /** The state of an open task after a record. @throws as {@link momentOf} does */
  momentOf(task: Task, record: number | undefined): TaskMoment {
    return momentOf(task, this.#live(task), record);
  }

  #live({ id }: Task): LiveEvents {
    const { live } = this.#channel(id);
    if (live !== undefined) return live;
    throw new HostError(
      "TASK_CLOSED",
      `Task ${id} was closed. Open it with POST /api/tasks/${id}/open, then repeat the request.`,
    );
  }

  /** Stop watching for tasks that are opened. */
  close(): void {
    this.#opened.unsubscribe();
    for (const cancel of this.#grown.values()) cancel();
  }

  /** The journal of a task may have grown: its readers read it again. They know the commits of a task that is open here. */
  #collect(channel: Channel): void {
    if (channel.live !== undefined || this.#grown.has(channel)) return;
    const { clock, bounds } = this.#options;
    const cancel = clock.after(bounds.listMs, () => {
      this.#grown.delete(channel);
      channel.changes$.next();
    });
    this.#grown.set(channel, cancel);
  }

  #open(task: Task): void {
    const channel = this.#channel(task.id);
    const { clock, bounds } = this.#options;
    const weight = { max: bounds.liveChars, of: this.#charsOf };
    channel.open(new LiveEvents(task, channel, { events: bounds.liveEvents, weight, now: clock.now() }));
    task.events$.subscribe({ complete: () => this.#forget(channel) });
  }

  readonly #charsOf: NonNullable<LiveEventsOptions["weight"]>["of"] = ({ commit, inspection }) =>
    this.#json(commit).length + JSON.stringify(inspection).length;

  readonly #json = (value: object): string => {
    let text = this.#texts.get(value);
    if (text === undefined) {
      text = JSON.stringify(value);
      this.#texts.set(value, text);
    }
    return text;
  };

  #channel(taskId: string): Channel {
    const known = this.#channels.get(taskId);
    if (known !== undefined) return known;
    const journal = this.#options.journal(taskId);
    const channel = new Channel(
      taskId,
      () => this.#recordsOf(taskId),
      () => new GrowingJournal(journal),
    );
    this.#channels.set(taskId, channel);
    return channel;
  }

  #forget(channel: Channel): void {
    if (channel.followers === 0 && channel.live === undefined) this.#channels.delete(channel.taskId);
  }
}

async function* noRecords(): AsyncGenerator<JournalRecord, void> {}

/** The id of a server-sent event: what a client sends back as `Last-Event-ID`. */
export function formatEventId({ seq, record, growth, opening, upTo, isPlain }: ReaderPosition): string {
  return `${seq}.${record}.${growth}.${opening}.${upTo}${isPlain ? "" : "x"}`;
}

const FORM = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.([0-9a-f]{8}|-)\.(-1|\d{1,15})(x?)$/;

/** @throws ServerError `POSITION_INVALID` */
export function parseEventId(text: string): ReaderPosition {
  const [, seq, record, growth, opening = NO_OPENING, upTo, mark] = FORM.exec(text) ?? [];
  if (seq === undefined)
    throw new ServerError(
      "POSITION_INVALID",
      `Expected the id of an event of this server, got ${JSON.stringify(text.slice(0, 100))}. Leave out Last-Event-ID to read the trace from its beginning.`,
    );
  return {
    seq: Number(seq),
    record: Number(record),
    growth: Number(growth),
    opening,
    upTo: Number(upTo),
    isPlain: mark === "",
  };
}
