import type { ClineMessage, LogEvent } from "../../machines/message/index.ts";
import {
  type MessageChange,
  messageChanges,
  type Task,
  type TaskCommit,
  type TaskSnapshot,
} from "../../runtime/task/index.ts";
import type {
  CommandStatus,
  ExtensionMessage,
  ExtensionState,
  Revision,
  StatePush,
} from "../extension/messages.ts";
import { RunningCommands } from "./running-commands.ts";

/** The commits of a task as messages to a front end. */
export class TaskMessages {
  readonly #taskId: string;
  readonly #revision: () => Revision;
  readonly #commands: RunningCommands;
  readonly #acceptsGrowth: boolean;
  /** The sent text of the messages that may grow. */
  readonly #sent = new Map<number, SentText>();
  #mode: string;

  /**
   * @param revision Returns the next revision.
   * @param acceptsGrowth Whether growth is sent as such, and not as a whole message.
   */
  constructor({ id, log, snapshot }: Task, revision: () => Revision, acceptsGrowth: boolean) {
    this.#taskId = id;
    this.#revision = revision;
    this.#acceptsGrowth = acceptsGrowth;
    this.#mode = snapshot.context.mode;
    this.#commands = new RunningCommands(log, snapshot.context);
  }

  /** The whole state. */
  whole({ context }: TaskSnapshot): StatePush {
    const clineMessages = context.log.toArray();
    const push = this.#state({ ...factsOf(context), clineMessages });
    this.#sent.clear();
    for (const message of clineMessages) this.#noteWhole(message, push.revision);
    return push;
  }

  /** One update for each message that a commit changed, in order, then the other changes. */
  of({ commit, snapshot }: TaskCommit): readonly ExtensionMessage[] {
    const { context } = snapshot;
    const isStateChanged = commit.queue !== undefined || context.mode !== this.#mode;
    this.#mode = context.mode;
    const commands = this.#commands.apply(commit);
    if (commit.log.some(replacesLog)) return [this.whole(snapshot), ...this.#commandsOf(commands)];
    const changes = messageChanges(context.log, commit.log);
    return [
      ...changes.map((change, index) => this.#change(change, index < changes.length - 1)),
      ...(isStateChanged ? [this.#state(factsOf(context))] : []),
      ...this.#commandsOf(commands),
    ];
  }

  #change({ message, grownBy }: MessageChange, isFollowed: boolean): ExtensionMessage {
    const revision = this.#revision();
    const more = isFollowed && { more: true };
    const sent = this.#acceptsGrowth ? this.#sent.get(message.ts) : undefined;
    const offset = lengthOf(message) - (grownBy?.length ?? 0);
    if (sent === undefined || grownBy === undefined || sent.length !== offset) {
      this.#noteWhole(message, revision);
      return { type: "messageUpdated", taskId: this.#taskId, clineMessage: message, revision, ...more };
    }
    const { since } = sent;
    this.#sent.set(message.ts, { since, length: lengthOf(message) });
    const growth = { ts: message.ts, offset, text: grownBy, since };
    return { type: "messageGrown", taskId: this.#taskId, ...growth, revision, ...more };
  }

  #noteWhole(message: ClineMessage, revision: Revision | undefined): void {
    if (revision !== undefined && mayGrow(message))
      this.#sent.set(message.ts, { since: revision.number, length: lengthOf(message) });
    else this.#sent.delete(message.ts);
  }

  #state(state: ExtensionState): StatePush {
    return { type: "state", state: { taskId: this.#taskId, ...state }, revision: this.#revision() };
  }

  #commandsOf(commands: readonly Omit<CommandStatus, "type" | "taskId">[]): readonly CommandStatus[] {
    return commands.map((status) => ({ type: "commandExecutionStatus", taskId: this.#taskId, ...status }));
  }
}

const factsOf = ({ mode, queue }: TaskSnapshot["context"]): ExtensionState => ({ mode, messageQueue: queue });

const replacesLog = ({ type }: LogEvent): boolean => type === "log.replaced" || type === "log.truncated";

const mayGrow = ({ partial, ask, closing }: ClineMessage): boolean =>
  partial === true || (ask === "command_output" && closing === undefined);

const lengthOf = ({ text }: ClineMessage): number => text?.length ?? 0;

/** The revision at which a message was last sent whole, and the number of its characters sent by now. */
interface SentText {
  readonly since: number;
  readonly length: number;
}
