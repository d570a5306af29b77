import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { type Log, positionOf } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { RecordedCall } from "../../machines/tool-call/call.ts";
import { messageChanges } from "../../runtime/task/message-changes.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import { compactionUpdate } from "./compaction-update.ts";
import { planOf } from "./plan.ts";
import { TextUpdates } from "./text-updates.ts";
import { ToolCallUpdates } from "./tool-call-updates.ts";

/** A part of the history of a task. */
export interface HistoryPart {
  readonly updates: readonly SessionUpdate[];
  /** The call that the updates show, before its end. */
  readonly callId?: string | undefined;
}

/** The updates of one task: of its commits as they come, or of its whole history. */
export class TaskUpdates {
  readonly #texts = new TextUpdates();
  readonly calls: ToolCallUpdates;

  /** @param prefix makes the ids of a subtask's calls unique in its session */
  constructor(workspace: string, prefix = "") {
    this.calls = new ToolCallUpdates(workspace, prefix);
  }

  /** The updates of a commit. The client has the texts of the user, which it sent. */
  commit({ commit, snapshot: { context } }: TaskCommit): readonly SessionUpdate[] {
    const messages = messageChanges(context.log, commit.log).flatMap(({ message }) =>
      this.#message(message, context.log),
    );
    const calls = commit.calls.flatMap((call) => this.#changed(call, context.log));
    return [...messages, ...calls].filter(({ sessionUpdate }) => sessionUpdate !== "user_message_chunk");
  }

  /** The updates of all messages, with the texts of the user. @param calls the ends of the calls, by their ids */
  *history(log: Log, calls: ReadonlyMap<string, RecordedCall>): Generator<HistoryPart, void> {
    for (const message of log) {
      const { callId } = message;
      yield { updates: this.#message(message, log), callId };
      const call = calls.get(callId ?? "");
      if (call !== undefined) yield { updates: this.#changed(call, log) };
    }
    yield { updates: this.calls.interrupted() };
  }

  #message(message: ClineMessage, log: Log): readonly SessionUpdate[] {
    const calls = this.calls.message(message);
    if (calls.length > 0) this.#texts.interrupt();
    const compaction = compactionUpdate(message, log);
    return [...this.#texts.of(message, log), ...(compaction === undefined ? [] : [compaction]), ...calls];
  }

  #changed(call: RecordedCall, log: Log): readonly SessionUpdate[] {
    const updates = this.calls.changed(call);
    const isDone = call.phase === "settled" && call.outcome.kind === "done";
    if (!isDone || updates.length === 0 || call.row === undefined) return updates;
    const message = log.at(positionOf(log, call.row));
    const plan = message === undefined ? undefined : planOf(message);
    return plan === undefined ? updates : [...updates, plan];
  }
}
