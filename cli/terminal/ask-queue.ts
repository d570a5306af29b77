import type { Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { AskDialog } from "./ask-dialog.ts";

/**
 * The dialogs about the open asks of a task and of its subtasks. One question at a time is shown, the oldest first. A running
 * command asks nothing: it can be left or terminated beside it.
 */
export class AskQueue {
  #dialogs: readonly AskDialog[] = [];

  /** The dialog whose question is shown. It stays until its ask is closed. */
  get shown(): AskDialog | undefined {
    return this.#dialogs.find(isQuestion);
  }

  /** The running commands. */
  get commands(): readonly AskDialog[] {
    return this.#dialogs.filter((dialog) => !isQuestion(dialog));
  }

  has(ask: Ask, asker: Task): boolean {
    return this.#dialogs.some((dialog) => dialog.asker === asker && dialog.ask.id === ask.id);
  }

  add(dialog: AskDialog): void {
    this.#dialogs = [...this.#dialogs, dialog];
  }

  /** Remove the dialogs whose asks are closed. Returns whether the shown one was among them. */
  removeClosed(): boolean {
    const { shown } = this;
    this.#dialogs = this.#dialogs.filter(({ ask, asker }) => isOpenAsk(ask, asker));
    return this.shown !== shown;
  }
}

/** Whether an ask of this task is still open. */
export const isOpenAsk = ({ id }: Ask, asker: Task): boolean =>
  asker.isOpen && asker.asks.some((ask) => ask.id === id);

const isQuestion = ({ ask }: AskDialog): boolean => ask.kind !== "command_output";
