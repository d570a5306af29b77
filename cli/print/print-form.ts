import { type RowForm, type TextForm, textForm } from "../../client/index.ts";
import type { ClineMessage } from "../../machines/message/index.ts";

/**
 * How this command prints rows: a result stands under `[task complete]` at once, so that the ask about it needs no line;
 * the result of a subtask that has been printed is not printed again.
 */
export class PrintForm {
  readonly #heard = new Set<string>();

  /** A subtask has printed this result. */
  heard(result: string): void {
    this.#heard.add(result);
  }

  readonly of: TextForm = (row: ClineMessage): RowForm | undefined => {
    if (row.ask === "completion_result") return undefined;
    const form = textForm(row);
    if (form === undefined) return undefined;
    if (row.say === "completion_result") return { ...form, header: "[task complete] ", isStreamed: false };
    const isHeard = row.say === "subtask_result" && this.#heard.has(row.text ?? "");
    return isHeard ? { ...form, header: "[subtask ended]", text: "" } : form;
  };
}
