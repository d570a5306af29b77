import { type ClineMessage, type LogEvent, positionOf } from "../../../machines/message/index.ts";
import type { TaskCommit, TaskSnapshot } from "../../shown-task.ts";
import type { Task } from "../../task.ts";
import type { CommandStatus, ExtensionMessage, ExtensionState, Revision, StatePush } from "../messages.ts";
import { RunningCommands } from "./running-commands.ts";

/** What a task shows, as the messages that a front end reads. */
export class TaskMessages {
  readonly #taskId: string;
  readonly #revision: () => Revision;
  readonly #commands: RunningCommands;
  #mode: string;

  /** @param revision Gives the next one. */
  constructor({ id, log, snapshot }: Task, revision: () => Revision) {
    this.#taskId = id;
    this.#revision = revision;
    this.#mode = snapshot.context.mode;
    this.#commands = new RunningCommands(log, snapshot);
  }

  /** All that a front end may know. */
  whole({ context }: TaskSnapshot): StatePush {
    return this.#state({ ...factsOf(context), clineMessages: context.log.toArray() });
  }

  /** One message for each row that a commit changed, in the order in which it did, then what else is another. */
  of({ commit, snapshot }: TaskCommit): readonly ExtensionMessage[] {
    const { context } = snapshot;
    const isOther = commit.queue !== undefined || context.mode !== this.#mode;
    this.#mode = context.mode;
    const commands = this.#commands.after(commit);
    if (commit.log.some(isOfWhole)) return [this.whole(snapshot), ...this.#commandsOf(commands)];
    const rows = changedRows(context.log, commit.log);
    return [
      ...rows.map((clineMessage, index) => this.#row(clineMessage, index < rows.length - 1)),
      ...(isOther ? [this.#state(factsOf(context))] : []),
      ...this.#commandsOf(commands),
    ];
  }

  #row(clineMessage: ClineMessage, more: boolean): ExtensionMessage {
    return {
      type: "messageUpdated",
      taskId: this.#taskId,
      clineMessage,
      revision: this.#revision(),
      ...(more && { more }),
    };
  }

  #state(state: ExtensionState): StatePush {
    return { type: "state", state: { taskId: this.#taskId, ...state }, revision: this.#revision() };
  }

  #commandsOf(commands: readonly Omit<CommandStatus, "type" | "taskId">[]): readonly CommandStatus[] {
    return commands.map((status) => ({ type: "commandExecutionStatus", taskId: this.#taskId, ...status }));
  }
}

const factsOf = ({ mode, queue }: TaskSnapshot["context"]): ExtensionState => ({ mode, messageQueue: queue });

const isOfWhole = ({ type }: LogEvent): boolean => type === "log.replaced" || type === "log.truncated";

function changedRows(log: TaskSnapshot["context"]["log"], events: readonly LogEvent[]): ClineMessage[] {
  const changed = new Set<number>();
  for (const event of events) {
    if (event.type === "message.appended") changed.add(event.message.ts);
    else if (event.type === "message.grown" || event.type === "message.amended") changed.add(event.ts);
  }
  return [...changed].flatMap((ts) => log.at(positionOf(log, ts)) ?? []);
}
