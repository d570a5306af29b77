import { type ClineMessage, type LogEvent, positionOf } from "../../../machines/message/index.ts";
import type { Task, TaskCommit, TaskSnapshot } from "../../../runtime/index.ts";
import type { CommandStatus, ExtensionMessage, ExtensionState, Revision, StatePush } from "../messages.ts";
import { RunningCommands } from "./running-commands.ts";

/** What a task shows, as the messages that a front end reads. */
export class TaskMessages {
  readonly #taskId: string;
  readonly #revision: () => Revision;
  readonly #commands: RunningCommands;
  readonly #takesGrowth: boolean;
  /** What was told of the rows that may grow. */
  readonly #told = new Map<number, ToldText>();
  #mode: string;

  /**
   * @param revision Gives the next one.
   * @param takesGrowth Whether of a row that has grown only that is told.
   */
  constructor({ id, log, snapshot }: Task, revision: () => Revision, takesGrowth: boolean) {
    this.#taskId = id;
    this.#revision = revision;
    this.#takesGrowth = takesGrowth;
    this.#mode = snapshot.context.mode;
    this.#commands = new RunningCommands(log, snapshot.context);
  }

  /** All that a front end may know. */
  whole({ context }: TaskSnapshot): StatePush {
    const clineMessages = context.log.toArray();
    const push = this.#state({ ...factsOf(context), clineMessages });
    this.#told.clear();
    for (const row of clineMessages) this.#noteWhole(row, push.revision);
    return push;
  }

  /** One message for each row that a commit changed, in the order in which it did, then what else is another. */
  of({ commit, snapshot }: TaskCommit): readonly ExtensionMessage[] {
    const { context } = snapshot;
    const isOther = commit.queue !== undefined || context.mode !== this.#mode;
    this.#mode = context.mode;
    const commands = this.#commands.after(commit);
    if (commit.log.some(isOfWhole)) return [this.whole(snapshot), ...this.#commandsOf(commands)];
    const changes = changesOf(context.log, commit.log);
    return [
      ...changes.map((change, index) => this.#change(change, index < changes.length - 1)),
      ...(isOther ? [this.#state(factsOf(context))] : []),
      ...this.#commandsOf(commands),
    ];
  }

  #change({ row, grownBy }: RowChange, isFollowed: boolean): ExtensionMessage {
    const revision = this.#revision();
    const more = isFollowed && { more: true };
    const told = this.#takesGrowth ? this.#told.get(row.ts) : undefined;
    const offset = lengthOf(row) - (grownBy?.length ?? 0);
    if (told === undefined || grownBy === undefined || told.length !== offset) {
      this.#noteWhole(row, revision);
      return { type: "messageUpdated", taskId: this.#taskId, clineMessage: row, revision, ...more };
    }
    const { since } = told;
    this.#told.set(row.ts, { since, length: lengthOf(row) });
    const piece = { ts: row.ts, offset, text: grownBy, since };
    return { type: "messageGrown", taskId: this.#taskId, ...piece, revision, ...more };
  }

  #noteWhole(row: ClineMessage, revision: Revision | undefined): void {
    if (revision !== undefined && mayGrow(row))
      this.#told.set(row.ts, { since: revision.number, length: lengthOf(row) });
    else this.#told.delete(row.ts);
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

const mayGrow = ({ partial, ask, closing }: ClineMessage): boolean =>
  partial === true || (ask === "command_output" && closing === undefined);

const lengthOf = ({ text }: ClineMessage): number => text?.length ?? 0;

/** When a row was last told whole, and how many characters of it are told by now. */
interface ToldText {
  readonly since: number;
  readonly length: number;
}

/** A row that a commit changed. */
interface RowChange {
  readonly row: ClineMessage;
  /** What came at the end of its text, where nothing else of it is another. */
  readonly grownBy: string | undefined;
}

/** The rows that a commit changed, in the order in which it did. */
function changesOf(log: TaskSnapshot["context"]["log"], events: readonly LogEvent[]): RowChange[] {
  const grownBy = new Map<number, string | undefined>();
  for (const event of events) {
    if (event.type === "message.appended") grownBy.set(event.message.ts, undefined);
    else if (event.type === "message.amended") grownBy.set(event.ts, undefined);
    else if (event.type === "message.grown") {
      const isWhole = grownBy.has(event.ts) && grownBy.get(event.ts) === undefined;
      grownBy.set(event.ts, isWhole ? undefined : (grownBy.get(event.ts) ?? "") + event.text);
    }
  }
  return [...grownBy].flatMap(([ts, text]) => {
    const row = log.at(positionOf(log, ts));
    return row === undefined ? [] : [{ row, grownBy: text }];
  });
}
