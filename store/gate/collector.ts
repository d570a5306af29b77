import type { ConversationEvent } from "../../machines/conversation/index.ts";
import type { LogEvent } from "../../machines/message/index.ts";
import type {
  EffectEvent,
  Facts,
  QueuedMessage,
  ReportEvent,
  TaskEmitted,
  TaskEvent,
} from "../../machines/task/index.ts";
import type { Decision, RecordedCall } from "../../machines/tool-call/index.ts";
import type { Commit } from "./commit.ts";

const NONE: readonly never[] = [];

/** Gathers what a macrostep emits piece by piece, for one commit at its end. */
export class Collector {
  #log: LogEvent[] | undefined;
  #conversation: ConversationEvent[] | undefined;
  #decisions: Decision[] | undefined;
  #queue: readonly QueuedMessage[] | undefined;
  #turnEnded = false;
  #calls: RecordedCall[] | undefined;
  #facts: Partial<Facts> | undefined;
  #effects: EffectEvent[] | undefined;
  #reports: ReportEvent[] | undefined;
  #empty = true;

  add(piece: TaskEmitted): void {
    switch (piece.type) {
      case "message.appended":
      case "message.grown":
      case "message.amended":
      case "log.truncated":
      case "log.replaced":
        this.#log = added(this.#log, piece);
        break;
      case "entry.appended":
      case "entry.extended":
        this.#conversation = added(this.#conversation, piece);
        break;
      case "decision.made":
        this.#decisions = added(this.#decisions, piece.decision);
        break;
      case "queue.changed":
        this.#queue = piece.queue;
        break;
      case "turn.ended":
        this.#turnEnded = true;
        this.#calls = undefined;
        break;
      case "call.changed":
        this.#calls = added(this.#calls, piece.call);
        break;
      case "facts.changed":
        this.#facts = { ...this.#facts, ...piece.facts };
        break;
      case "effect.started":
      case "effect.stopped":
        this.#effects = added(this.#effects, piece);
        break;
      case "task.rested":
      case "task.completed":
        this.#reports = added(this.#reports, piece);
        break;
      case "event.noted":
        break;
      default:
        // Somebody else's event, of a machine that was extended: nothing of the task's.
        return;
    }
    this.#empty = false;
  }

  /** The commit of the macrostep that ends here, or nothing if it decided nothing. */
  take(cause: TaskEvent | undefined, before: string, after: string): Commit | undefined {
    if (this.#empty) return undefined;
    const commit: Commit = {
      cause,
      before,
      after,
      log: this.#log ?? NONE,
      conversation: this.#conversation ?? NONE,
      decisions: this.#decisions ?? NONE,
      ...(this.#queue !== undefined && { queue: this.#queue }),
      turnEnded: this.#turnEnded,
      calls: this.#calls ?? NONE,
      ...(this.#facts !== undefined && { facts: this.#facts }),
      effects: this.#effects ?? NONE,
      reports: this.#reports ?? NONE,
    };
    this.#log = undefined;
    this.#conversation = undefined;
    this.#decisions = undefined;
    this.#queue = undefined;
    this.#turnEnded = false;
    this.#calls = undefined;
    this.#facts = undefined;
    this.#effects = undefined;
    this.#reports = undefined;
    this.#empty = true;
    return commit;
  }
}

function added<T>(list: T[] | undefined, item: T): T[] {
  if (list === undefined) return [item];
  list.push(item);
  return list;
}
