import type { Conversation, ConversationEvent } from "../../machines/conversation/index.ts";
import type { Log, LogEvent } from "../../machines/message/index.ts";
import type { EffectEvent, TaskEmitted } from "../../machines/task/index.ts";
import { CommitMonitor, type RecordedCommit } from "./commits.ts";

/** Where a task is: its state as a dotted path, its rows, and what the model was told. */
interface Position {
  readonly state: string;
  readonly log: Log;
  readonly conversation: Conversation;
}

interface Macrostep extends Position {
  readonly emitted: readonly TaskEmitted[];
}

/** A law that a macrostep broke, and the words why. */
interface Broken {
  readonly law: string;
  readonly reason: string;
}

/**
 * The laws of messages for a task that runs, from where it is `now` on: L1 to L6 and L8, as {@link CommitMonitor} holds
 * them against a record. What was wrong before is told of nobody. A macrostep costs the same however long the log is,
 * but for those that send a request; to begin costs as much as the log is long.
 *
 * It is what a task's option `laws` takes: then a breakpoint on laws holds the task after the macrostep that broke one.
 *
 * @example
 * ```ts
 * import { emptyConversation, emptyLog } from "signalbox/machines";
 * import { messageLaws } from "signalbox/verify";
 * const now = { state: "no_task", log: emptyLog, conversation: emptyConversation };
 * const check = messageLaws(now);
 * console.log(check({ ...now, state: "running.starting", emitted: [] })?.law); // L1
 * ```
 */
export function messageLaws({ state, log, conversation }: Position): (step: Macrostep) => Broken | undefined {
  const monitor = new CommitMonitor();
  monitor.take({
    log: Array.from(log, (message) => ({ type: "message.appended", message })),
    conversation: Array.from(conversation, (entry) => ({ type: "entry.appended", entry })),
    after: state,
  });
  let known = monitor.found.length;
  return (step) => {
    monitor.take(commitOf(step));
    const first = monitor.found[known];
    known = monitor.found.length;
    if (first !== undefined)
      return { law: first.law, reason: `expected ${first.expected}; came ${first.came}` };
    if (monitor.rows.length === step.log.length) return undefined;
    return {
      law: "L2",
      reason: `expected ${monitor.rows.length} rows, as was told; came ${step.log.length}`,
    };
  };
}

function commitOf({ emitted, state }: Macrostep): RecordedCommit {
  const log: LogEvent[] = [];
  const conversation: ConversationEvent[] = [];
  const effects: EffectEvent[] = [];
  for (const piece of emitted) {
    switch (piece.type) {
      case "message.appended":
      case "message.grown":
      case "message.amended":
      case "log.truncated":
      case "log.replaced":
        log.push(piece);
        break;
      case "entry.appended":
      case "entry.extended":
        conversation.push(piece);
        break;
      case "effect.started":
      case "effect.stopped":
        effects.push(piece);
        break;
      default:
      // What else is emitted is not of the messages.
    }
  }
  return { log, conversation, effects, after: state };
}
