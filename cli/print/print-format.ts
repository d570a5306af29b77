import {
  formatMessage,
  type MessageFormat,
  type MessageFormatter,
} from "../../client/roo/console/message-format.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { dottedPath, isAtRest } from "../../machines/message/states.ts";
import type { Task } from "../../runtime/task/task.ts";
import { subtaskLabel } from "../run/subtasks.ts";

/**
 * The format of printed messages: a result is printed under `[task complete]` at once, so that its ask needs no line; the
 * result of a subtask that has been printed is not printed again. While several tasks work, each message is printed as a
 * whole, and a message of a subtask begins with its number and name.
 */
export class PrintFormat {
  readonly #root: Task;
  readonly #subtasks: readonly Task[];
  readonly #printedResults = new Set<string>();
  /** The ids of the subtasks that have worked beside another task: their messages have their names from then on. */
  readonly #named = new Set<string>();

  /** @param subtasks the subtasks that were opened in this run: a list that grows */
  constructor(root: Task, subtasks: readonly Task[]) {
    this.#root = root;
    this.#subtasks = subtasks;
  }

  /** Mark a result that a subtask has printed. */
  markPrinted(result: string): void {
    this.#printedResults.add(result);
  }

  /** The format of the messages of one task. */
  of(task: Task): MessageFormatter {
    return (message) => {
      const form = this.#formatOf(message, task);
      if (form === undefined) return undefined;
      const isAlone = this.#isAlone(task);
      const header = this.#named.has(task.id) ? `[${subtaskLabel(task)}] ${form.header}` : form.header;
      return { ...form, header, isStreamed: form.isStreamed && (isAlone || isOver(message, form)) };
    };
  }

  /** Mark the subtasks that work beside another task. Called when a subtask was opened. */
  markBeside(): void {
    for (const subtask of this.#subtasks)
      if (isActive(subtask) && !this.#isAlone(subtask)) this.#named.add(subtask.id);
  }

  #isAlone(task: Task): boolean {
    return ![this.#root, ...this.#subtasks].some((other) => other !== task && isActive(other));
  }

  #formatOf(message: ClineMessage, { id }: Task): MessageFormat | undefined {
    if (message.ask === "completion_result") return undefined;
    // The text of Roo Code's command names no rule.
    const { reason: _, ...shown } = message;
    const form = formatMessage(shown);
    if (form === undefined) return undefined;
    if (message.say === "completion_result")
      return { ...form, header: "[task complete] ", isStreamed: false };
    if (message.say !== "subtask_result") return form;
    const ended = this.#endedHeader(id, message.callId);
    return this.#printedResults.has(message.text ?? "")
      ? { ...form, header: ended, text: "" }
      : { ...form, header: `${ended} ` };
  }

  /** The words for the end of a subtask. They name it where the run has had several. */
  #endedHeader(parentId: string, callId: string | undefined): string {
    const ended = this.#subtasks.findLast(
      ({ parent }) => parent?.taskId === parentId && parent.callId === callId,
    );
    const isOne = new Set(this.#subtasks.map(({ id }) => id)).size === 1;
    return ended === undefined || isOne ? "[subtask ended]" : `[${subtaskLabel(ended)} ended]`;
  }
}

/** Whether a task starts, works or waits for a person, and not for its subtasks alone. */
function isActive({ isOpen, snapshot: { value } }: Task): boolean {
  const path = dottedPath(value);
  return isOpen && !isAtRest(path) && path !== "running.delegated";
}

/** Whether nothing more of a message is to come. The output of a command is continued by another message, if it ends. */
const isOver = ({ ask, closing }: ClineMessage, { isComplete }: MessageFormat): boolean =>
  isComplete || (ask === "command_output" && closing !== undefined);
