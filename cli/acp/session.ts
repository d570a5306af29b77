import { setImmediate } from "node:timers/promises";
import type {
  ContentBlock,
  LoadSessionResponse,
  PromptResponse,
  SessionConfigOption,
  StopReason,
} from "@agentclientprotocol/sdk/unstable";
import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { Subscription } from "rxjs";
import { isAtRest } from "../../machines/message/states.ts";
import type { Failure } from "../../machines/task/task.events.ts";
import type { Host } from "../../runtime/host.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";
import { errorMessage } from "../error.ts";
import { assertApplied } from "../refusal.ts";
import { AskHandler } from "./ask-handler.ts";
import type { ClientTerminals } from "./client-terminals.ts";
import { commandsUpdate } from "./commands-update.ts";
import { configOptions, modeState, setConfigOption } from "./config-options.ts";
import { continueTask } from "./continue-task.ts";
import { usageUpdate } from "./fact-updates.ts";
import { readCalls } from "./journal-calls.ts";
import { promptInput } from "./prompt-input.ts";
import { type RecordedSubtaskSource, readSubtasks } from "./recorded-subtasks.ts";
import { toRequestError } from "./request-error.ts";
import type { SessionClient } from "./session-client.ts";
import { formatTime } from "./session-info.ts";
import type { SessionTask } from "./session-source.ts";
import { SessionUpdates } from "./session-updates.ts";
import { stopReasonOf } from "./stop-reason.ts";
import { Subagents } from "./subagents.ts";
import { TaskUpdates } from "./task-updates.ts";
import { Turn } from "./turn.ts";
import type { UpdateQueue } from "./update-queue.ts";

/** The parts that a session is made of. */
export interface SessionParts extends SessionTask {
  readonly host: Host;
  readonly history: TaskHistory;
  readonly client: SessionClient;
  readonly terminals: ClientTerminals;
  /** Report a failure that no response has. */
  readonly report: (message: string) => void;
}

/** A task that a client follows and prompts. */
export class Session {
  readonly #parts: SessionParts;
  readonly #queue: UpdateQueue;
  /** Undefined: the client has no sessions for subtasks. */
  readonly #subagents: Subagents | undefined;
  readonly #updates: SessionUpdates;
  readonly #asks: AskHandler;
  readonly #subscriptions = new Subscription();
  #turn: Turn | undefined;
  /** The notices that the next prompt begins with, for a client that shows none. */
  #warnings: readonly string[];
  /** The reason why the last request failed, until the next one. */
  #failure: Failure | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const { client, task, host, offersRules, report } = parts;
    this.#queue = client.updates;
    this.#subagents = client.showsSubagents ? new Subagents({ client, root: task, report }) : undefined;
    this.#warnings = client.showsNotices ? [] : parts.warnings;
    this.#updates = new SessionUpdates({ ...parts, subagents: this.#subagents });
    this.#asks = new AskHandler({
      client,
      root: task,
      offersRules,
      call: (taskId, callId) => this.#updates.call(taskId, callId),
      turn: () => this.#turn,
      subagents: this.#subagents,
      report,
    });
    this.#subscriptions.add(task.events$.subscribe((shown) => this.#noteFailure(shown)));
    this.#subscriptions.add(
      task.treeAsks$.subscribe(({ path, ask }) => {
        const asking = host.tasks.get(path.at(-1) ?? "");
        if (asking !== undefined) void this.#asks.show(asking, ask);
      }),
    );
  }

  get #task(): Task {
    return this.#parts.task;
  }

  /** The choices of the client, as the responses to its requests have them. */
  get choices(): LoadSessionResponse {
    const { task, modes } = this.#parts;
    return { modes: modeState(task, modes), configOptions: configOptions(task, modes) };
  }

  /** Send the slash commands and the warnings. */
  announce(): void {
    const { client, commands, warnings } = this.#parts;
    client.send(commandsUpdate(commands));
    if (!client.showsNotices) return;
    for (const title of warnings) client.send({ sessionUpdate: "notice", severity: "warning", title });
  }

  /** Send the whole history. Resolves when it is sent. */
  async replay(journal: RecordedSubtaskSource["journal"]): Promise<void> {
    const { client, report } = this.#parts;
    const task = this.#task;
    const calls = await readCalls(journal(task.id));
    if (this.#subagents === undefined) {
      for (const { updates } of new TaskUpdates(task.workspace).history(task.log, calls))
        client.send(...updates);
    } else {
      const { children } = task.snapshot.context;
      const subtasks = await readSubtasks(task.id, children, { journal, report });
      this.#subagents.replay({ calls, subtasks });
    }
    client.send(...usageUpdate(task));
    this.announce();
    await this.#queue.flushed();
  }

  /**
   * Run a prompt to the end of its turn. All updates are sent before it resolves. After a cancelled turn it starts once
   * that one has ended.
   *
   * @param signal cancels the turn
   * @throws RequestError for an invalid prompt, while another one runs, and if the request to the model failed
   */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    const earlier = this.#turn;
    if (earlier !== undefined && !earlier.signal.aborted)
      throw RequestError.invalidRequest(
        undefined,
        "a prompt of this session runs: wait for its end, or cancel it",
      );
    const turn = new Turn();
    this.#turn = turn;
    signal.addEventListener("abort", turn.cancel, { once: true });
    try {
      await earlier?.ended;
      return { stopReason: turn.signal.aborted ? "cancelled" : await this.#run(blocks, turn) };
    } finally {
      signal.removeEventListener("abort", turn.cancel);
      if (turn.signal.aborted) await this.#parts.terminals.idle();
      // Its cancel is also the cancel of its subtasks.
      if (isAtRest(this.#task.state.state)) await this.#subagents?.idle();
      if (this.#turn === turn) this.#turn = undefined;
      await this.#queue.flushed();
      turn.end();
    }
  }

  /** Announce the subtasks that are open, after the response to a request that opens the session again. */
  announceSubtasks(): void {
    this.#subagents?.announceOpen();
  }

  /** Cancel the work of the child session of a subtask. */
  cancelSubtask(sessionId: string): void {
    this.#subagents?.cancel(sessionId);
  }

  /** Cancel the turn, if there is one. Its prompt is answered once all updates are sent. */
  cancel(): void {
    this.#turn?.cancel();
  }

  /** @throws HostError `OPTION_INVALID` @throws RefusalError */
  async setMode(slug: string): Promise<void> {
    assertApplied(this.#task.switchMode(slug));
    await this.#settled();
  }

  /** Returns all options. @throws HostError `OPTION_INVALID` @throws RefusalError */
  async setConfigOption(id: string, value: string | boolean): Promise<SessionConfigOption[]> {
    setConfigOption(this.#task, id, value);
    await this.#settled();
    return configOptions(this.#task, this.#parts.modes);
  }

  /** Cancel the turn and close the task. Resolves when the prompt is answered. @throws JournalError */
  async close(): Promise<void> {
    const turn = this.#turn;
    turn?.cancel();
    try {
      await this.#parts.host.close(this.#task.id);
    } finally {
      await turn?.ended;
      // The response is queued in the microtasks after its turn: what is sent later is written after it.
      await setImmediate();
      await this.#addInfo();
      this.#subscriptions.unsubscribe();
      this.#updates.end();
      await this.#queue.flushed();
      await this.#parts.release();
    }
  }

  async #run(blocks: readonly ContentBlock[], turn: Turn): Promise<StopReason> {
    try {
      const input = await promptInput(blocks, this.#task.workspace, this.#parts.commands);
      this.#addWarnings();
      if (input.mode !== undefined) assertApplied(this.#task.switchMode(input.mode));
      const end = await Promise.race([continueTask(this.#task, input, turn.signal), turn.question]);
      if (turn.signal.aborted) return "cancelled";
      if (end === undefined) return "end_turn";
      return stopReasonOf(end, this.#task.log.at(-1)?.text ?? "", this.#failure);
    } catch (error) {
      // A cancelled prompt is never answered with an error.
      if (turn.signal.aborted) return "cancelled";
      throw toRequestError(error);
    } finally {
      if (this.#task.state.state !== "waiting_for_input") this.#updates.interrupt();
      await this.#addInfo();
    }
  }

  #addWarnings(): void {
    for (const text of this.#warnings)
      this.#parts.client.send({
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: `Warning: ${text}\n\n` },
      });
    this.#warnings = [];
  }

  /** The title is the beginning of the first prompt. */
  async #addInfo(): Promise<void> {
    const { history, task, report } = this.#parts;
    if (task.log.length === 0) return;
    try {
      const { title, updatedAt } = await history.summary(task.id);
      this.#parts.client.send({
        sessionUpdate: "session_info_update",
        title,
        updatedAt: formatTime(updatedAt),
      });
    } catch (error) {
      // The prompt has its own response.
      report(`the title of task ${task.id} can't be read: ${errorMessage(error)}`);
    }
  }

  /** Resolves when every commit is durable, and the client has its updates. */
  async #settled(): Promise<void> {
    await this.#task.flushed();
    await this.#queue.flushed();
  }

  #noteFailure({ commit: { cause } }: TaskCommit): void {
    if (cause?.type === "llm.failed" || cause?.type === "condense.failed") this.#failure = cause.failure;
    else if (cause?.type === "llm.finished" || cause?.type === "context.failed") this.#failure = undefined;
  }
}
