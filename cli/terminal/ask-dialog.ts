import { printable } from "../../client/printable/printable.ts";
import { answerWord } from "../../client/roo/console/answer-word.ts";
import type { ApprovalAsk, Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import { errorMessage } from "../error.ts";
import type { RunRules } from "../run/settings.ts";
import type { Style } from "../show/style.ts";
import { AlwaysChoice } from "./always-choice.ts";
import { askChoices } from "./ask-choices.ts";
import {
  EDITED_QUESTION,
  type EditableAsk,
  type EditedProposal,
  editableText,
  editedChoices,
  isEditable,
  readEdit,
  readReaction,
} from "./edited-proposal.ts";
import type { Choice } from "./input/choice-menu.ts";
import type { TerminalInterface } from "./interface.ts";
import {
  type AlwaysAsk,
  formatQuestion,
  hiddenContent,
  type OfferedWords,
  offersAlways,
} from "./questions.ts";

/** The parts of the terminal that the dialogs about asks use. */
export interface DialogTerminal {
  readonly ui: Pick<TerminalInterface, "edit" | "page">;
  readonly style: Style;
  readonly rules: RunRules;
  /** The task that is run: a rule of the session is for its subtasks as well. */
  readonly root: Task;
  /** Show a line as it is. */
  show(line: string): void;
  /** Show a remark. */
  note(text: string): void;
  /** Whether the ask of the dialog is still open. */
  isOpen(dialog: AskDialog): boolean;
  /** Show the question of the dialog again, if its ask is still open. */
  askAgain(dialog: AskDialog): void;
}

/** The question that the person is asked now. */
type Phase =
  | { readonly kind: "asking" }
  /** The choice of the rule that "always" adds. */
  | { readonly kind: "choosing"; readonly ask: AlwaysAsk; readonly choice: AlwaysChoice }
  /** Nothing: the proposal is in the person's editor. */
  | { readonly kind: "editing" }
  /** Whether the call may run as edited. */
  | { readonly kind: "edited"; readonly ask: EditableAsk; readonly edited: EditedProposal };

const ASKING: Phase = { kind: "asking" };

/** The dialog with a person about one open ask, up to its answer. */
export class AskDialog {
  readonly ask: Ask;
  /** The task of the ask. */
  readonly asker: Task;
  readonly #terminal: DialogTerminal;
  #phase: Phase = ASKING;
  /** The person's last edit of the proposal: the next edit starts with it. */
  #edited: string | undefined;

  constructor(ask: Ask, asker: Task, terminal: DialogTerminal) {
    this.ask = ask;
    this.asker = asker;
    this.#terminal = terminal;
  }

  /** Undefined while there is none: the ask needs no answer, or the editor is open. */
  get question(): string | undefined {
    const phase = this.#phase;
    if (phase.kind === "editing") return undefined;
    if (phase.kind === "choosing") return phase.choice.question;
    if (phase.kind === "edited") return EDITED_QUESTION;
    return formatQuestion(this.ask, this.#offered);
  }

  /** The answers to the question that can be chosen. */
  get choices(): readonly Choice[] {
    const phase = this.#phase;
    if (phase.kind === "editing") return [];
    if (phase.kind === "choosing") return phase.choice.choices;
    return phase.kind === "edited" ? editedChoices(phase.ask) : askChoices(this.ask, this.#offered);
  }

  get #offered(): OfferedWords {
    return {
      always: this.#isAlwaysOffered(this.ask),
      edit: this.#isEditOffered(this.ask),
      view: hiddenContent(this.ask) !== undefined,
    };
  }

  /** Handle a line that does not answer the ask yet. Returns false for a line that does. */
  handle(line: string): boolean {
    const phase = this.#phase;
    switch (phase.kind) {
      case "asking":
        return this.#prepare(line);
      case "choosing":
        this.#choose(phase.ask, phase.choice, line);
        return true;
      case "editing":
        return true;
      case "edited":
        this.#answerEdited(phase.ask, phase.edited, line);
        return true;
    }
  }

  /** Handle a word that opens an editor, a choice or a pager. Returns whether the line was one. */
  #prepare(line: string): boolean {
    const { ask } = this;
    const word = answerWord(line);
    const hidden = word === "view" ? hiddenContent(ask) : undefined;
    if (word === "edit" && this.#isEditOffered(ask))
      void this.#edit(ask, this.#edited ?? editableText(ask).text);
    else if (word === "always" && this.#isAlwaysOffered(ask)) this.#offer(ask, new AlwaysChoice(ask.rules));
    else if (hidden !== undefined) void this.#page(hidden);
    else return false;
    return true;
  }

  #isAlwaysOffered(ask: Ask): ask is AlwaysAsk {
    return this.#terminal.rules.isAlwaysOffered && offersAlways(ask);
  }

  #isEditOffered(ask: Ask): ask is EditableAsk {
    return this.#terminal.ui.edit !== undefined && isEditable(ask);
  }

  #turnTo(phase: Phase): void {
    this.#phase = phase;
    this.#terminal.askAgain(this);
  }

  /** Show the hidden content of the ask. */
  async #page(content: string): Promise<void> {
    await this.#terminal.ui.page(content);
    this.#terminal.askAgain(this);
  }

  /** Open the editor on a text of the proposal, and show what it became. */
  async #edit(ask: EditableAsk, text: string): Promise<void> {
    const before = this.#phase;
    this.#phase = { kind: "editing" };
    const edited = await this.#terminal.ui.edit?.(text, editableText(ask).name);
    this.#turnTo(edited === undefined ? before : this.#showEdit(ask, text, edited, before));
  }

  /** Show an edit, even if its ask is closed: it would be lost otherwise. */
  #showEdit(ask: EditableAsk, text: string, edited: string, before: Phase): Phase {
    const { note, show, style } = this.#terminal;
    const edit = readEdit(ask, edited);
    const isUnchanged = edited === text && (before.kind === "edited" || text === editableText(ask).text);
    if (isUnchanged || edit.kind === "invalid") {
      note(edit.kind === "invalid" ? printable(edit.problem) : "Nothing was changed.");
      return before;
    }
    this.#edited = edited;
    for (const line of edit.proposal.lines(style)) show(`  ${line}`);
    if (!this.#terminal.isOpen(this)) note("The ask was closed in the meantime, so the edit is not used.");
    return { kind: "edited", ask, edited: edit.proposal };
  }

  #answerEdited(ask: EditableAsk, edited: EditedProposal, line: string): void {
    const reaction = readReaction(line);
    if (reaction === "edit") void this.#edit(ask, edited.text);
    else if (reaction === "drop") this.#turnTo(ASKING);
    else {
      const result = ask.approve({ amendment: edited.amendment });
      if (result.ok) return;
      this.#terminal.note(result.message);
      this.#terminal.askAgain(this);
    }
  }

  /** Show the rules that "always" can mean. */
  #offer(ask: AlwaysAsk, choice: AlwaysChoice): void {
    for (const line of choice.lines) this.#terminal.show(line);
    this.#turnTo({ kind: "choosing", ask, choice });
  }

  #choose(ask: AlwaysAsk, choice: AlwaysChoice, line: string): void {
    const reaction = choice.read(line);
    if (reaction.kind === "selected") this.#offer(ask, choice);
    else if (reaction.kind === "back") this.#turnTo(ASKING);
    else {
      this.#phase = ASKING;
      if (reaction.place === "session") this.#allowInSession(ask, reaction.rule);
      else void this.#allowInProject(ask, reaction.rule);
    }
  }

  #allowInSession(ask: ApprovalAsk, rule: string): void {
    const { root, note } = this.#terminal;
    const result = ask.approve({ rule });
    // The rule of a subtask's ask is for the whole session.
    if (result.ok && this.asker !== root) {
      const change = root.changePermissions(({ rules }) => ({ rules: [...rules, { level: "allow", rule }] }));
      if (!change.ok) {
        note(change.message);
        return;
      }
    }
    note(result.ok ? `Allowed in this session: ${printable(rule)}` : result.message);
  }

  /** The call is approved once the file has the rule. */
  async #allowInProject(ask: ApprovalAsk, rule: string): Promise<void> {
    const { root, rules, note } = this.#terminal;
    try {
      await rules.addToProject({ level: "allow", rule });
    } catch (error) {
      note(printable(errorMessage(error)));
      this.#terminal.askAgain(this);
      return;
    }
    const result = ask.approve();
    const change = root.changePermissions({});
    if (!change.ok) return note(change.message);
    note(`Allowed in this project: ${printable(rule)}`);
    if (!result.ok) note(result.message);
  }
}
