import { RequestError, type ToolCallUpdate } from "@agentclientprotocol/sdk/unstable";
import { askLabel, formatSubject } from "../../present/asks.ts";
import type { ApprovalAsk, Ask, QuestionAsk } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import { refusalIn } from "../refusal.ts";
import { textContent } from "./call-fields.ts";
import { type PermissionChoice, permissionChoices, subtaskChoices } from "./permission-choices.ts";
import { answerQuestion } from "./question.ts";
import type { SessionClient } from "./session-client.ts";
import type { Subagents } from "./subagents.ts";
import type { ShownCall } from "./tool-call-updates.ts";
import type { Turn } from "./turn.ts";

/** The codes of an answer to an ask that is no longer open. */
const TOO_LATE: ReadonlySet<string> = new Set(["ASK_CLOSED", "ASK_ALREADY_ANSWERED"]);

/** The parts of a session that its asks need. */
export interface AskHandlerOptions {
  readonly client: SessionClient;
  /** The task of the session. */
  readonly root: Task;
  /** Whether the user did not ask to see every call. */
  readonly offersRules: boolean;
  /** A call of a task as it was shown last. */
  readonly call: (taskId: string, callId: string) => ShownCall | undefined;
  readonly turn: () => Turn | undefined;
  /** Undefined: the client has no sessions for subtasks. */
  readonly subagents: Subagents | undefined;
  /** Report that the client could not show an ask. */
  readonly report: (message: string) => void;
}

/** Shows the asks of a session to its client, and gives its answers. */
export class AskHandler {
  readonly #options: AskHandlerOptions;

  constructor(options: AskHandlerOptions) {
    this.#options = options;
  }

  /** Show an ask of the task of the session, or of a subtask. What the task rests on ends the turn instead. */
  async show(task: Task, ask: Ask): Promise<void> {
    switch (ask.kind) {
      case "tool":
      case "command":
      case "mcp":
      case "browser":
        return this.#requestPermission(task, ask, this.#aboutCall(task, ask), this.#choicesOf(ask));
      case "question":
        return this.#askQuestion(task, ask);
      default: {
        const choices = task === this.#options.root ? undefined : subtaskChoices(ask);
        if (choices === undefined) return;
        this.#options.subagents?.requireAction(task);
        return this.#requestPermission(task, ask, this.#aboutSubtask(task, ask), choices);
      }
    }
  }

  #choicesOf(ask: ApprovalAsk): readonly PermissionChoice[] {
    const { root, offersRules } = this.#options;
    return permissionChoices(ask, root, offersRules);
  }

  #aboutCall(task: Task, { callId = "", text, tool }: ApprovalAsk): ToolCallUpdate {
    const shown = this.#options.call(task.id, callId) ?? { toolCallId: callId, title: text };
    return { ...shown, ...(tool !== undefined && { rawInput: tool.input }) };
  }

  /** A subtask is shown as the call that started it; in a session of its own, as a call with the id of the ask. */
  #aboutSubtask(task: Task, ask: Ask): ToolCallUpdate {
    const { id, parent } = task;
    const { type, text } = ask;
    const label = askLabel(type, ask);
    const shown = parent && this.#options.call(parent.taskId, parent.callId);
    const content = textContent(`${label}\n\n${formatSubject({ ask: type, text })}`);
    if (this.#options.subagents !== undefined) return { toolCallId: String(ask.id), title: label, content };
    return { ...(shown ?? { toolCallId: id, title: text }), content };
  }

  /** The session of the client that shows a task. */
  #sessionOf({ id }: Task): SessionClient {
    return this.#options.client.sessionOf(id);
  }

  async #requestPermission(
    task: Task,
    ask: Ask,
    toolCall: ToolCallUpdate,
    choices: readonly PermissionChoice[],
  ): Promise<void> {
    const { report } = this.#options;
    const client = this.#sessionOf(task);
    const turn = this.#turnNow();
    const reject = choices.find(({ kind }) => kind === "reject_once");
    await this.#whileOpen(
      task,
      ask,
      async (closed) => {
        await client.updates.flushed();
        const options = choices.map(({ give: _, ...option }) => option);
        const { outcome } = await client.requestPermission({ toolCall, options }, closed);
        if (outcome.outcome === "cancelled") return this.#cancel(task, turn());
        const choice = choices.find(({ optionId }) => optionId === outcome.optionId);
        if (choice === undefined)
          report(`the client selected an option that was not offered: ${outcome.optionId}`);
        // Nobody else would answer the ask.
        if (!this.#give(choice ?? reject) && !closed.aborted) this.#give(reject);
      },
      (error) => {
        report(`the client could not ask for permission, so the call was rejected: ${error.message}`);
        this.#give(reject);
      },
    );
  }

  /** The client cancels what its session does: a subtask with a session of its own, else the turn. */
  #cancel(task: Task, turn: Turn | undefined): void {
    const { root, subagents } = this.#options;
    if (task === root || subagents === undefined) turn?.cancel();
    else subagents.cancel(task.id);
  }

  /** The turn that an ask is shown in: its late answer does not end the next one. */
  #turnNow(): () => Turn | undefined {
    const shownIn = this.#options.turn();
    return () => shownIn ?? this.#options.turn();
  }

  /** Give an answer. Returns whether it was taken, or the ask is closed. */
  #give(choice: PermissionChoice | undefined): boolean {
    return choice !== undefined && this.#isTaken(choice.give());
  }

  /** An answer that crosses a cancel or another answer is no error: updates have told the client how the ask was closed. */
  #isTaken(result: object): boolean {
    const refusal = refusalIn(result);
    if (refusal === undefined || TOO_LATE.has(refusal.code)) return true;
    this.#options.report(`the answer of the client was refused: ${refusal.message}`);
    return false;
  }

  async #askQuestion(task: Task, ask: QuestionAsk): Promise<void> {
    const { report } = this.#options;
    const client = this.#sessionOf(task);
    const turn = this.#turnNow();
    if (!client.asksQuestions) return turn()?.endWithQuestion();
    await this.#whileOpen(
      task,
      ask,
      async (closed) => {
        await client.updates.flushed();
        const response = await client.ask(ask, closed);
        const result = answerQuestion(ask, response);
        if (result === undefined || !this.#isTaken(result)) turn()?.endWithQuestion();
      },
      (error) => {
        report(`the client could not show a question as a form: ${error.message}`);
        turn()?.endWithQuestion();
      },
    );
  }

  /** Do `work` with a signal that aborts when the ask closes. `fail`: the client responded with an error. */
  async #whileOpen(
    task: Task,
    ask: Ask,
    work: (closed: AbortSignal) => Promise<void>,
    fail: (error: RequestError) => void,
  ): Promise<void> {
    const closed = new AbortController();
    const commits = task.events$.subscribe(() => {
      if (!task.asks.some(({ id }) => id === ask.id)) closed.abort();
    });
    try {
      await work(closed.signal);
    } catch (error) {
      if (closed.signal.aborted || this.#options.client.isClosed) return;
      if (!(error instanceof RequestError)) throw error;
      fail(error);
    } finally {
      commits.unsubscribe();
    }
  }
}
