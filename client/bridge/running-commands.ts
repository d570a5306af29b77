import type { ClineMessage } from "../../machines/message/message.ts";
import type { TaskCommit, TaskSnapshot } from "../../runtime/task/task-view.ts";
import type { CommandStatus } from "../roo/extension/messages.ts";

type Status = Omit<CommandStatus, "type" | "taskId">;
type Commit = TaskCommit["commit"];

/** The fields of a commit that concern commands. */
export type CommandCommit = Pick<Commit, "log"> & Partial<Pick<Commit, "cause" | "effects" | "turnEnded">>;
/** The fields of a task's context that concern commands. */
export type CommandContext = Pick<TaskSnapshot["context"], "background" | "ask">;

/** The running commands of a task, also in the background, each with the ask that it was approved by. */
export class RunningCommands {
  /** The ask that approved a call, until its turn ends. */
  readonly #approvedBy = new Map<string, number>();
  readonly #running = new Map<string, number>();

  /** Finds the commands that run already. */
  constructor(
    log: Iterable<ClineMessage> & { at(position: number): ClineMessage | undefined },
    { background, ask: open }: CommandContext,
  ) {
    const calls = new Set(background.map(({ callId }) => callId));
    if (open?.ask === "command_output" && open.callId !== undefined) calls.add(open.callId);
    const asks = calls.size === 0 ? [] : [...log].filter((message) => message.type === "ask");
    for (const { ts, ask, callId } of asks)
      if (callId !== undefined && calls.has(callId)) this.#note(ts, ask, callId);
    // An open ask will be the one that approved its command.
    const last = log.at(-1);
    if (last?.ask === "command" && last.callId !== undefined) this.#approvedBy.set(last.callId, last.ts);
  }

  /** The asks by the ids of the running calls. */
  get askIds(): ReadonlyMap<string, number> {
    return this.#running;
  }

  /** The status changes in a commit. */
  apply({ cause, log, effects = [], turnEnded = false }: CommandCommit): readonly Status[] {
    for (const event of log) {
      if (event.type !== "message.appended") continue;
      const { ts, ask, callId } = event.message;
      if (callId !== undefined) this.#note(ts, ask, callId);
    }
    if (turnEnded) this.#approvedBy.clear();
    const statuses: Status[] = [];
    if (cause?.type === "tool.output") {
      const askId = this.#running.get(cause.callId);
      if (askId !== undefined) statuses.push({ askId, status: "output", output: cause.text });
    }
    const ended = cause?.type === "tool.finished" || cause?.type === "tool.failed" ? cause : undefined;
    for (const [callId, askId] of this.#running) {
      const isStopped = effects.some(
        ({ type, effect, id }) => type === "effect.stopped" && effect === "tool" && id.endsWith(`:${callId}`),
      );
      if (!isStopped && ended?.callId !== callId) continue;
      this.#running.delete(callId);
      const exitCode = ended?.callId === callId ? ended.command?.exitCode : undefined;
      statuses.push({ askId, status: "exited", ...(exitCode !== undefined && { exitCode }) });
    }
    return statuses;
  }

  #note(ts: number, ask: string | undefined, callId: string): void {
    if (ask === "command") this.#approvedBy.set(callId, ts);
    if (ask === "command_output") this.#running.set(callId, this.#approvedBy.get(callId) ?? ts);
  }
}
