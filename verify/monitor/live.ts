import type { Conversation, ConversationEvent } from "../../machines/conversation/conversation.ts";
import type { Log, LogEvent } from "../../machines/message/log.ts";
import type { EffectEvent, TaskEmitted } from "../../machines/task/task.events.ts";
import { CommitMonitor, type RecordedCommit } from "./commits.ts";

/** Position of a task: its state as a dotted path, its log and its conversation. */
interface Position {
  readonly state: string;
  readonly log: Log;
  readonly conversation: Conversation;
}

interface Macrostep extends Position {
  readonly emitted: readonly TaskEmitted[];
}

/** A law that a macrostep violated, and the reason. */
interface BrokenLaw {
  readonly law: string;
  readonly reason: string;
}

/**
 * Create a check of L1-L6 and L8 for a running task, starting at its current position; earlier violations are not
 * reported. Pass it as the task's option `laws`: a breakpoint on laws then pauses the task after a violation.
 *
 * Linear in the log once at the start; constant per macrostep, except those that send a request.
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
export function messageLaws({
  state,
  log,
  conversation,
}: Position): (step: Macrostep) => BrokenLaw | undefined {
  const monitor = new CommitMonitor();
  monitor.addCommit({
    log: Array.from(log, (message) => ({ type: "message.appended", message })),
    conversation: Array.from(conversation, (entry) => ({ type: "entry.appended", entry })),
    after: state,
  });
  let seen = monitor.violations.length;
  return (step) => {
    monitor.addCommit(commitOf(step));
    const first = monitor.violations[seen];
    seen = monitor.violations.length;
    if (first !== undefined)
      return { law: first.law, reason: `expected ${first.expected}; came ${first.came}` };
    if (monitor.log.length === step.log.length) return undefined;
    return {
      law: "L2",
      reason: `expected ${monitor.log.length} messages, as emitted; came ${step.log.length}`,
    };
  };
}

function commitOf({ emitted, state }: Macrostep): RecordedCommit {
  const log: LogEvent[] = [];
  const conversation: ConversationEvent[] = [];
  const effects: EffectEvent[] = [];
  for (const event of emitted) {
    switch (event.type) {
      case "message.appended":
      case "message.grown":
      case "message.amended":
      case "log.truncated":
      case "log.replaced":
        log.push(event);
        break;
      case "entry.appended":
      case "entry.extended":
      case "entries.replaced":
        conversation.push(event);
        break;
      case "effect.started":
      case "effect.stopped":
        effects.push(event);
        break;
      default:
      // Other events do not concern messages.
    }
  }
  return { log, conversation, effects, after: state };
}
