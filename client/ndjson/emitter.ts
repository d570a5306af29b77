import type { Writable } from "node:stream";
import { type Clock, systemClock } from "../../actors/index.ts";
import type { ClineMessage } from "../../machines/message/index.ts";
import type { QueuedMessage, Usage } from "../../machines/task/index.ts";
import { addUsage } from "../../machines/task/index.ts";
import type { JsonEvent } from "../../wire/index.ts";
import type { ExtensionMessage } from "../view/index.ts";
import { Beside } from "./beside.ts";
import { CostMeter, jsonCost } from "./cost.ts";
import type { JsonStreamError } from "./error.ts";
import { isPiece, type Line } from "./line.ts";
import { openedAt } from "./opening.ts";
import { DEFAULT_WAITING_LINES, Outlet } from "./outlet.ts";
import { queueEvent } from "./queue-event.ts";
import { resultEvent } from "./result-event.ts";
import { RowEvents } from "./row-events.ts";
import type { EventClient, EventTask } from "./sources.ts";
import { TaskRows } from "./task-rows.ts";

export const JSON_SCHEMA_VERSION = 1;
export const JSON_PROTOCOL = "roo-cli-stream";
/** What a client of the protocol may send. */
export const BASE_CAPABILITIES: readonly string[] = [
  "stdin:start",
  "stdin:message",
  "stdin:cancel",
  "stdin:ping",
  "stdin:shutdown",
];
/** How long the last row of a command is waited for once its end was told beside the rows, in ms. */
export const DEFAULT_COMMAND_END_MS = 250;

export interface JsonEventEmitterOptions {
  /** `stream-json`: one event a line as it happens. `json`: one object when the task is complete. */
  readonly mode: "json" | "stream-json";
  readonly stdout: Writable;
  /** The request that an event belongs to; of a piece of a row that streams, without the event. Control events bring theirs. */
  readonly requestIdProvider?: (event?: JsonEvent) => string | undefined;
  /** Default 1. */
  readonly schemaVersion?: number;
  /** Default `roo-cli-stream`. */
  readonly protocol?: string;
  /** Default: the five commands of the protocol. */
  readonly capabilities?: readonly string[];
  /** Lines that may wait for a slow reader (L14). Default 100,000. */
  readonly waitingLines?: number;
  /** Default 250 ms. */
  readonly commandEndMs?: number;
  /** Time, for tests. Default: the process's. */
  readonly clock?: Clock;
}

/** A control event: what becomes of a command. */
export type ControlEvent = Pick<
  JsonEvent,
  "requestId" | "command" | "taskId" | "code" | "content" | "success"
> & { readonly subtype: "ack" | "done" | "error" };

/** How a task is told of. */
export interface TaskTelling {
  /** Of a subtask: its id stands in its events, and what it comes to is its parent's to tell. */
  readonly subtaskId?: string;
}

/**
 * Writes what happens in a task as events, one JSON object a line. The text of a row that streams comes in pieces, and
 * the whole row once more on its event with `done`. Pieces are joined while the reader is behind: nothing is lost, and
 * what waits is bounded (L14).
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
  readonly #outlet: Outlet;
  /** Of the task and its subtasks. */
  #costs: CostMeter[] = [];
  /** In `json` mode: what happened so far. */
  readonly #recorded: JsonEvent[] = [];
  /** Where the output of commands that comes beside the rows belongs. */
  #rows: RowEvents | undefined;
  #queue: readonly QueuedMessage[] | undefined;
  #hasBegun = false;
  readonly #timers = new Set<() => void>();

  constructor(options: JsonEventEmitterOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#outlet = new Outlet(options.stdout, options.waitingLines ?? DEFAULT_WAITING_LINES);
  }

  /** Lines that wait for the reader now. */
  get waitingLines(): number {
    return this.#outlet.waiting;
  }

  /** Told once when nothing can be written any more: `OUTPUT_CLOSED`, `OUTPUT_FULL`. */
  onBroken(listener: (error: JsonStreamError) => void): void {
    this.#outlet.onBroken(listener);
  }

  /** Resolves when all events so far are with the stream, or never will be. */
  flushed(): Promise<void> {
    return this.#outlet.flushed();
  }

  /** Writes the first line, if it isn't written yet: what can be expected of the others. */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { schemaVersion, protocol, capabilities } = this.#options;
    this.#tell({
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

  /** Tells what a client sees from now on. The function it gives ends that. */
  attachToClient(client: EventClient): () => void {
    this.begin();
    const cost = this.#newCost();
    const rows = new RowEvents((line) => this.#tell(line), cost, client.getAgentState().state === "no_task");
    this.#rows = rows;
    const ends = [
      client.on("message", (row) => rows.row(row)),
      client.on("messageUpdated", (row) => rows.row(row)),
      client.on("commandOutput", ({ askId, output }) => this.emitCommandOutputChunk(askId, output)),
      client.on("commandExited", ({ askId, exitCode }) => this.markCommandOutputExited(askId, exitCode)),
      client.on("error", (error) => this.emitError(error.message)),
      // A client tells of a completion before it tells of the rows that came with it.
      client.on("taskCompleted", ({ success, message }) =>
        queueMicrotask(() => this.#result(rows, success, message)),
      ),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  /**
   * Tells what a task shows from now on; of one that was there before, the ask that is open and what its opening told.
   */
  attachToTask(task: EventTask, { subtaskId }: TaskTelling = {}): () => void {
    this.begin();
    const isKnown = task.log.length > 0;
    const { queue, total } = task.snapshot.context;
    if (subtaskId === undefined) this.#costs = [];
    const cost = this.#newCost(isKnown ? total : undefined);
    const rows = new RowEvents((line) => this.#tell(tagged(line, subtaskId)), cost, !isKnown);
    const beside = Beside.of(task, rows.commands);
    const told = new TaskRows(rows, (row) => {
      if (subtaskId === undefined && isCompletion(row)) this.#result(rows, true, row, task.id);
    });
    if (subtaskId === undefined) {
      this.#rows = rows;
      // A new task's queue is known to be empty.
      if (isKnown) this.queueChanged(queue);
      else this.#queue = [];
    }
    const last = task.log.at(-1);
    if (last?.type === "ask" && last.closing === undefined) {
      if (last.ask === "resume_completed_task") rows.recall(task.log);
      for (let at = openedAt(task.log); at < task.log.length - 1; at += 1) {
        const row = task.log.at(at);
        if (row !== undefined) told.see(row);
      }
      told.see(last);
    }
    const subscription = task.events$.subscribe(({ commit }) => {
      if (commit.queue !== undefined && subtaskId === undefined) this.queueChanged(commit.queue);
      for (const event of commit.log) told.apply(event);
      beside?.after({ commit });
    });
    return () => subscription.unsubscribe();
  }

  /** The queue as it is now: tells how it changed. */
  queueChanged(queue: readonly QueuedMessage[]): void {
    const event = queueEvent(this.#queue, queue);
    if (this.#queue !== undefined || queue.length > 0) this.#queue = queue;
    if (event !== undefined) this.#tell({ event });
  }

  /** What becomes of a command. */
  emitControl({ subtype, ...fields }: ControlEvent): void {
    this.#tell({ event: { type: "control", subtype, ...fields } });
  }

  /** A message of the agent as it is: for a client that keeps the rows. */
  emitMessage(message: ExtensionMessage): void {
    this.#tell({ event: { type: "system", subtype: "message", message } });
  }

  /** What a task came to that was complete before. */
  emitResult({ taskId, content, usage }: { taskId: string; content: string; usage: Usage }): void {
    this.begin();
    this.#tellResult(resultEvent(content, true, undefined, jsonCost(usage), taskId));
  }

  /** What can't go on, and why. In `json` mode it is all that is printed. */
  emitError(content: string): void {
    const id = this.#clock.now();
    if (this.#options.mode === "json")
      this.#outlet.writeText(`${JSON.stringify({ type: "error", id, content })}\n`);
    else this.#tell({ event: { type: "error", id, content } });
  }

  /** What the command that was run under the ask `id` wrote, where that comes beside the rows. */
  emitCommandOutputChunk(id: number, output: string): void {
    this.#rows?.commands.chunk(id, output);
  }

  /** It has ended: its last row tells it, or, where none comes in time, this. */
  markCommandOutputExited(id: number, exitCode?: number): void {
    const commands = this.#rows?.commands;
    if (commands === undefined || !commands.exited(id, exitCode)) return;
    const wait = this.#options.commandEndMs ?? DEFAULT_COMMAND_END_MS;
    const forget = this.#clock.after(wait, () => {
      this.#timers.delete(forget);
      commands.settle(id);
    });
    this.#timers.add(forget);
  }

  /** Forgets what it waits for. What was told is still written. */
  dispose(): void {
    for (const forget of this.#timers) forget();
    this.#timers.clear();
  }

  #newCost(before?: Usage): CostMeter {
    const cost = new CostMeter(before);
    this.#costs.push(cost);
    return cost;
  }

  #result(rows: RowEvents, success: boolean, ask: ClineMessage | undefined, taskId?: string): void {
    const content = ask?.text ? ask.text : rows.result;
    const cost = this.#cost();
    this.#tellResult(resultEvent(content, success, ask, cost && jsonCost(cost), taskId));
  }

  #tellResult(result: JsonEvent): void {
    if (this.#options.mode === "stream-json") {
      this.#tell({ event: result });
      return;
    }
    const { type, success, content, taskId, cost } = result;
    const output = {
      type,
      success,
      content,
      ...(taskId !== undefined && { taskId }),
      ...(cost !== undefined && { cost }),
      events: this.#recorded,
    };
    this.#outlet.writeText(`${JSON.stringify(output, undefined, 2)}\n`);
  }

  #cost(): Usage | undefined {
    const used = this.#costs.filter(({ isUsed }) => isUsed).map((meter) => meter.used);
    return used.length === 0 ? undefined : used.reduce((one, other) => addUsage(one, other));
  }

  #tell(line: Line): void {
    const requestId = this.#requestIdOf(line);
    if (this.#options.mode === "stream-json") this.#outlet.write(line, requestId);
    else if (!isPiece(line) && line.isPart !== true)
      this.#recorded.push(requestId === undefined ? line.event : { ...line.event, requestId });
  }

  #requestIdOf(line: Line): string | undefined {
    if (isPiece(line)) return this.#options.requestIdProvider?.();
    const { event } = line;
    if (event.type === "control" || event.type === "system") return undefined;
    return this.#options.requestIdProvider?.(event);
  }
}

const isCompletion = ({ ask, closing }: ClineMessage): boolean =>
  (ask === "completion_result" || ask === "resume_completed_task") && closing === undefined;

/** A subtask's events say whose they are. */
function tagged(line: Line, taskId: string | undefined): Line {
  if (taskId === undefined) return line;
  if (!isPiece(line)) return { ...line, event: { ...line.event, taskId } };
  return { ...line, make: (delta) => ({ ...line.make(delta), taskId }) };
}
