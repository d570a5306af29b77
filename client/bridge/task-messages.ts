import type { LogEvent } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { type MessageChange, messageChanges } from "../../runtime/task/message-changes.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit, TaskSnapshot } from "../../runtime/task/task-view.ts";
import type {
  AskFactsMessage,
  CommandStatus,
  ExtensionMessage,
  ExtensionState,
  Revision,
  StatePush,
} from "../roo/extension/messages.ts";
import { RunningCommands } from "./running-commands.ts";

/** Messages that a client reads besides Roo Code's. */
export interface ExtraMessages {
  /** Growth is sent as such, and not as a whole message. */
  readonly messageGrown: boolean;
  /** Whether the parts that an answer can add are sent before each ask about a call. */
  readonly askFacts: boolean;
}

/** The extra messages of a client that reads these types. */
export const extraMessages = (types: readonly string[]): ExtraMessages => ({
  messageGrown: types.includes("messageGrown"),
  askFacts: types.includes("askFacts"),
});

/** The commits of a task as messages to a front end. */
export class TaskMessages {
  readonly #taskId: string;
  readonly #revision: () => Revision;
  readonly #commands: RunningCommands;
  readonly #extra: ExtraMessages;
  /** The sent text of the messages that may grow. */
  readonly #sent = new Map<number, SentText>();
  #mode: string;

  /** @param revision Returns the next revision. */
  constructor({ id, log, snapshot }: Task, revision: () => Revision, extra: ExtraMessages) {
    this.#taskId = id;
    this.#revision = revision;
    this.#extra = extra;
    this.#mode = snapshot.context.mode;
    this.#commands = new RunningCommands(log, snapshot.context);
  }

  /** The whole state, after the facts of the open ask. */
  whole({ context }: TaskSnapshot): readonly ExtensionMessage[] {
    const clineMessages = context.log.toArray();
    const push = this.#state({ ...factsOf(context), clineMessages });
    this.#sent.clear();
    for (const message of clineMessages) this.#noteWhole(message, push.revision);
    return [...clineMessages.slice(-1).flatMap((message) => this.#askFacts(message, context)), push];
  }

  /** One update for each message that a commit changed, in order, then the other changes. */
  of({ commit, snapshot }: TaskCommit): readonly ExtensionMessage[] {
    const { context } = snapshot;
    const isStateChanged = commit.queue !== undefined || context.mode !== this.#mode;
    this.#mode = context.mode;
    const commands = this.#commands.apply(commit);
    if (commit.log.some(replacesLog)) return [...this.whole(snapshot), ...this.#commandsOf(commands)];
    const changes = messageChanges(context.log, commit.log);
    return [
      ...changes.flatMap(({ message }) => this.#askFacts(message, context)),
      ...changes.map((change, index) => this.#change(change, index < changes.length - 1)),
      ...(isStateChanged ? [this.#state(factsOf(context))] : []),
      ...this.#commandsOf(commands),
    ];
  }

  #change({ message, grownBy }: MessageChange, isFollowed: boolean): ExtensionMessage {
    const revision = this.#revision();
    const more = isFollowed && { more: true };
    const sent = this.#extra.messageGrown ? this.#sent.get(message.ts) : undefined;
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

  /** None for a message that is no open ask about a call. */
  #askFacts(
    { ts: askId, partial, closing, callId }: ClineMessage,
    { turn }: TaskSnapshot["context"],
  ): readonly AskFactsMessage[] {
    if (!this.#extra.askFacts || callId === undefined || partial === true || closing !== undefined) return [];
    const call = turn.calls.find((each) => each.callId === callId);
    if (call?.phase !== "asking") return [];
    const { rules = [], proposal } = call.review.facts ?? {};
    const added = proposal === undefined ? {} : { proposal };
    return [{ type: "askFacts", taskId: this.#taskId, askId, rules, ...added }];
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
