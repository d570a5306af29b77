import type { Writable } from "node:stream";
import { systemClock } from "../../../actors/protocol/edge.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { addUsage } from "../../../machines/task/request.ts";
import type { QueuedMessage, Usage } from "../../../machines/task/task.events.ts";
import type { Clock } from "../../../ports/clock.ts";
import { UnstartedCalls } from "../../../runtime/task/unstarted-calls.ts";
import type { JsonEvent } from "../../../wire/ndjson/event.ts";
import { UsageMeter } from "../../usage-meter.ts";
import type { ExtensionMessage } from "../extension/messages.ts";
import { BackgroundOutput } from "./background-output.ts";
import { ClientLog } from "./client-log.ts";
import type { CommandEvents } from "./command-events.ts";
import { isDelta, type Line } from "./event-line.ts";
import type { EventClient, EventTask } from "./event-sources.ts";
import { DEFAULT_WAITING_LINES, type JsonStreamError, LineWriter } from "./line-writer.ts";
import { MessageEvents } from "./message-events.ts";
import { queueEvent } from "./queue-event.ts";
import { jsonCost, resultEvent } from "./result-event.ts";
import { openedAt, TaskLog } from "./task-log.ts";

/** Version of the events. */
export const JSON_SCHEMA_VERSION = 1;
/** Name of the protocol. */
export const JSON_PROTOCOL = "roo-cli-stream";
/** The commands that every client of the protocol may send. */
const BASE_CAPABILITIES: readonly string[] = [
  "stdin:start",
  "stdin:message",
  "stdin:cancel",
  "stdin:ping",
  "stdin:shutdown",
];
/** Milliseconds to wait for the last message of a command after `markCommandOutputExited`. */
export const DEFAULT_COMMAND_END_MS = 250;

/** Options of a {@link JsonEventEmitter}. */
export interface JsonEventEmitterOptions {
  /** `stream-json`: one event a line as it happens. `json`: one object when the task is complete. */
  readonly mode: "json" | "stream-json";
  readonly stdout: Writable;
  /** The request id of an event; called without the event for a delta, and not for a control event that names its own. */
  readonly requestIdProvider?: (event?: JsonEvent) => string | undefined;
  /** Default 1. */
  readonly schemaVersion?: number;
  /** Default `roo-cli-stream`. */
  readonly protocol?: string;
  /** Default: the five commands of the protocol. */
  readonly capabilities?: readonly string[];
  /** Lines queued for a slow reader (L14). Default 100,000. */
  readonly waitingLines?: number;
  /** Default 250 ms. */
  readonly commandEndMs?: number;
  /** The clock; pass another one in tests. */
  readonly clock?: Clock;
}

/** A control event: acknowledges, completes or rejects a command. */
export type ControlEvent = Pick<
  JsonEvent,
  "requestId" | "command" | "taskId" | "code" | "content" | "success" | "askId" | "proposal"
> & { readonly subtype: "ack" | "done" | "error" };

/** Options of an attached task. */
export interface TaskEventOptions {
  /** The id of a subtask: it is in its events, and its parent emits the result. */
  readonly subtaskId?: string;
}

/**
 * Writes the events of a task as NDJSON. Streaming text is emitted as deltas, and in full with `done`. While the reader
 * is slow, deltas are merged: nothing is lost, and the queue is bounded (L14).
 *
 * @example
 * ```ts
 * import { createHost } from "signalbox";
 * import { JsonEventEmitter } from "signalbox/client";
 * const emitter = new JsonEventEmitter({ mode: "stream-json", stdout: process.stdout });
 * const host = createHost();
 * host.opened$.subscribe((task) => emitter.attachToTask(task));
 * ```
 */
export class JsonEventEmitter {
  readonly #options: JsonEventEmitterOptions;
  readonly #clock: Clock;
  readonly #writer: LineWriter;
  /** Usage of the task and its subtasks. */
  #meters: UsageMeter[] = [];
  /** The events so far, in `json` mode. */
  readonly #recorded: JsonEvent[] = [];
  /** Receives the output of `emitCommandOutputChunk`. */
  #events: MessageEvents | undefined;
  #queue: readonly QueuedMessage[] | undefined;
  #hasBegun = false;
  readonly #timers = new Set<() => void>();

  constructor(options: JsonEventEmitterOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#writer = new LineWriter(options.stdout, options.waitingLines ?? DEFAULT_WAITING_LINES);
  }

  /** The number of queued lines. */
  get waitingLines(): number {
    return this.#writer.queuedLines;
  }

  /** Call the listener once when writing has failed for good: `OUTPUT_CLOSED`, `OUTPUT_FULL`. */
  onBroken(listener: (error: JsonStreamError) => void): void {
    this.#writer.onBroken(listener);
  }

  /** Resolves when the stream has taken all events so far, or has failed. */
  flushed(): Promise<void> {
    return this.#writer.flushed();
  }

  /** Write the first line, once: protocol, version and capabilities. */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { schemaVersion, protocol, capabilities } = this.#options;
    this.#emit({
      event: {
        type: "system",
        subtype: "init",
        content: "Task started",
        schemaVersion: schemaVersion ?? JSON_SCHEMA_VERSION,
        protocol: protocol ?? JSON_PROTOCOL,
        capabilities: capabilities ?? BASE_CAPABILITIES,
      },
    });
  }

  /** Emit the events of a client from now on. The returned function detaches it. */
  attachToClient(client: EventClient): () => void {
    this.begin();
    const cost = this.#addMeter();
    const events = new MessageEvents(
      (line) => this.#emit(line),
      cost,
      client.getAgentState().state === "no_task",
    );
    this.#events = events;
    const { commands } = events;
    const log = new ClientLog(client, events);
    const ends = [
      client.on("message", (message) => log.read(message)),
      client.on("messageUpdated", (message) => log.read(message)),
      client.on("commandOutput", ({ askId, output }) => commands.chunk(askId, output)),
      client.on("commandExited", ({ askId, exitCode }) => this.#commandExited(commands, askId, exitCode)),
      client.on("error", (error) => this.emitError(error.message)),
      client.on("taskCompleted", ({ success, message }) => {
        log.readNew();
        this.#result(events, success, message);
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  /** Emit the events of a task from now on; of a reopened task, also its open ask and the messages of its recovery. */
  attachToTask(task: EventTask, { subtaskId }: TaskEventOptions = {}): () => void {
    this.begin();
    const isKnown = task.log.length > 0;
    const { queue, total, turn } = task.snapshot.context;
    if (subtaskId === undefined) this.#meters = [];
    const cost = this.#addMeter(isKnown ? total : undefined);
    const unstarted = turn && new UnstartedCalls({ context: { turn } });
    const emit = (line: Line): void => this.#emit(tagged(line, subtaskId));
    const events = new MessageEvents(emit, cost, !isKnown, unstarted);
    const background = BackgroundOutput.of(task, events.commands);
    const log = new TaskLog(events, (message) => {
      if (subtaskId === undefined && isCompletion(message)) this.#result(events, true, message, task.id);
    });
    if (subtaskId === undefined) {
      this.#events = events;
      // A new task's queue is known to be empty.
      if (isKnown) this.queueChanged(queue);
      else this.#queue = [];
    }
    const last = task.log.at(-1);
    if (last?.type === "ask" && last.closing === undefined) {
      if (last.ask === "resume_completed_task") events.readEarlier(task.log);
      for (let at = openedAt(task.log); at < task.log.length - 1; at += 1) {
        const message = task.log.at(at);
        if (message !== undefined) log.read(message);
      }
      log.read(last);
    }
    const subscription = task.events$.subscribe(({ commit, snapshot }) => {
      if (snapshot !== undefined) unstarted?.apply(commit.calls ?? [], snapshot);
      if (commit.queue !== undefined && subtaskId === undefined) this.queueChanged(commit.queue);
      for (const event of commit.log) log.apply(event);
      background?.read({ commit });
    });
    return () => subscription.unsubscribe();
  }

  /** Emit the change of the queue. */
  queueChanged(queue: readonly QueuedMessage[]): void {
    const event = queueEvent(this.#queue, queue);
    if (this.#queue !== undefined || queue.length > 0) this.#queue = queue;
    if (event !== undefined) this.#emit({ event });
  }

  /** Emit a control event; `done` is the last of its command. */
  emitControl({ subtype, ...fields }: ControlEvent): void {
    this.#emit({ event: { type: "control", subtype, ...fields, ...(subtype === "done" && { done: true }) } });
  }

  /** Emit a message of the agent unchanged, for a client that keeps the messages. */
  emitMessage(message: ExtensionMessage): void {
    this.#emit({ event: { type: "system", subtype: "message", message } });
  }

  /** Emit the result of a task that was completed before. */
  emitResult({ taskId, content, usage }: { taskId: string; content: string; usage: Usage }): void {
    this.begin();
    this.#emitResult(resultEvent(content, true, undefined, jsonCost(usage), taskId));
  }

  /** Emit an error. In `json` mode it is the only output. */
  emitError(content: string): void {
    const id = this.#clock.now();
    if (this.#options.mode === "json")
      this.#writer.writeText(`${JSON.stringify({ type: "error", id, content })}\n`);
    else this.#emit({ event: { type: "error", id, content } });
  }

  /** Emit what is new of the newest command's whole output so far. From then on its messages are not read for it. */
  emitCommandOutputChunk(outputSnapshot: string): void {
    const commands = this.#events?.commands;
    if (commands?.newest !== undefined) commands.snapshot(commands.newest, outputSnapshot);
  }

  /** Note that the newest command exited. Its end is emitted with its last message, or after `commandEndMs` without one. */
  markCommandOutputExited(exitCode?: number): void {
    const commands = this.#events?.commands;
    if (commands?.newest !== undefined) this.#commandExited(commands, commands.newest, exitCode);
  }

  /** Emit the end of the newest command. No last message is awaited. */
  emitCommandOutputDone(exitCode?: number): void {
    const commands = this.#events?.commands;
    const id = commands?.newest;
    if (id !== undefined && commands?.exited(id, exitCode)) commands.settle(id);
  }

  /** Cancel its timers. Queued events are still written. */
  dispose(): void {
    for (const forget of this.#timers) forget();
    this.#timers.clear();
  }

  #commandExited(commands: CommandEvents, id: number, exitCode: number | undefined): void {
    if (!commands.exited(id, exitCode)) return;
    const wait = this.#options.commandEndMs ?? DEFAULT_COMMAND_END_MS;
    const forget = this.#clock.after(wait, () => {
      this.#timers.delete(forget);
      commands.settle(id);
    });
    this.#timers.add(forget);
  }

  #addMeter(before?: Usage): UsageMeter {
    const meter = new UsageMeter(before);
    this.#meters.push(meter);
    return meter;
  }

  #result(events: MessageEvents, success: boolean, ask: ClineMessage | undefined, taskId?: string): void {
    const content = events.takeResult(ask);
    const cost = this.#cost();
    this.#emitResult(resultEvent(content, success, ask, cost && jsonCost(cost), taskId));
  }

  #emitResult(result: JsonEvent): void {
    if (this.#options.mode === "stream-json") {
      this.#emit({ event: result });
      return;
    }
    const { type, success, content, taskId, cost } = result;
    const output = { type, success, content, taskId, cost, events: this.#recorded };
    this.#writer.writeText(`${JSON.stringify(output, undefined, 2)}\n`);
  }

  #cost(): Usage | undefined {
    const used = this.#meters.filter(({ isUsed }) => isUsed).map(({ usage }) => usage);
    return used.length === 0 ? undefined : used.reduce((one, other) => addUsage(one, other));
  }

  #emit(line: Line): void {
    const requestId = this.#requestIdOf(line);
    if (this.#options.mode === "stream-json") this.#writer.write(line, requestId);
    else if (!isDelta(line) && line.isPart !== true) {
      const { event, whole = event } = line;
      this.#recorded.push(requestId === undefined ? whole : { ...whole, requestId });
    }
  }

  #requestIdOf(line: Line): string | undefined {
    if (isDelta(line)) return this.#options.requestIdProvider?.();
    const { event } = line;
    if (event.requestId !== undefined || event.type === "system") return undefined;
    return this.#options.requestIdProvider?.(event);
  }
}

const isCompletion = ({ ask, closing }: ClineMessage): boolean =>
  (ask === "completion_result" || ask === "resume_completed_task") && closing === undefined;

/** Adds the id of a subtask. */
function tagged(line: Line, taskId: string | undefined): Line {
  if (taskId === undefined) return line;
  if (!isDelta(line)) {
    const { event, whole } = line;
    return {
      ...line,
      event: { ...event, taskId },
      ...(whole !== undefined && { whole: { ...whole, taskId } }),
    };
  }
  return { ...line, make: (delta) => ({ ...line.make(delta), taskId }) };
}
