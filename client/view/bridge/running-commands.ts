import type { ClineMessage } from "../../../machines/message/index.ts";
import type { TaskCommit, TaskSnapshot } from "../../../runtime/index.ts";
import type { CommandStatus } from "../messages.ts";

type Status = Omit<CommandStatus, "type" | "taskId">;
type Commit = TaskCommit["commit"];

/** What of a commit tells of commands. */
export type CommandCommit = Pick<Commit, "log"> & Partial<Pick<Commit, "cause" | "effects" | "turnEnded">>;
/** What of a task's context does. */
export type CommandContext = Pick<TaskSnapshot["context"], "background" | "ask">;

/** The commands of a task that run, also beside the agent, each by the ask that it was run under. */
export class RunningCommands {
  /** The ask that a call was approved by, until the call's turn is over. */
  readonly #asked = new Map<string, number>();
  readonly #running = new Map<string, number>();

  /** Finds those that run as somebody comes to look. */
  constructor(
    log: Iterable<ClineMessage> & { at(position: number): ClineMessage | undefined },
    { background, ask: open }: CommandContext,
  ) {
    const calls = new Set(background.map(({ callId }) => callId));
    if (open?.ask === "command_output" && open.callId !== undefined) calls.add(open.callId);
    const asks = calls.size === 0 ? [] : [...log].filter((row) => row.type === "ask");
    for (const { ts, ask, callId } of asks)
      if (callId !== undefined && calls.has(callId)) this.#note(ts, ask, callId);
    // One that waits for its answer now will run under it.
    const last = log.at(-1);
    if (last?.ask === "command" && last.callId !== undefined) this.#asked.set(last.callId, last.ts);
  }

  /** The asks that they were run under, by their calls. */
  get askIds(): ReadonlyMap<string, number> {
    return this.#running;
  }

  /** What a commit tells of them. */
  after({ cause, log, effects = [], turnEnded = false }: CommandCommit): readonly Status[] {
    for (const event of log) {
      if (event.type !== "message.appended") continue;
      const { ts, ask, callId } = event.message;
      if (callId !== undefined) this.#note(ts, ask, callId);
    }
    if (turnEnded) this.#asked.clear();
    const told: Status[] = [];
    if (cause?.type === "tool.output") {
      const askId = this.#running.get(cause.callId);
      if (askId !== undefined) told.push({ askId, status: "output", output: cause.text });
    }
    const ended = cause?.type === "tool.finished" || cause?.type === "tool.failed" ? cause : undefined;
    for (const [callId, askId] of this.#running) {
      const isStopped = effects.some(
        ({ type, effect, id }) => type === "effect.stopped" && effect === "tool" && id.endsWith(`:${callId}`),
      );
      if (!isStopped && ended?.callId !== callId) continue;
      this.#running.delete(callId);
      const exitCode = ended?.callId === callId ? ended.command?.exitCode : undefined;
      told.push({ askId, status: "exited", ...(exitCode !== undefined && { exitCode }) });
    }
    return told;
  }

  #note(ts: number, ask: string | undefined, callId: string): void {
    if (ask === "command") this.#asked.set(callId, ts);
    if (ask === "command_output") this.#running.set(callId, this.#asked.get(callId) ?? ts);
  }
}
