import path from "node:path";
import { printable } from "../../client/printable/printable.ts";
import { answerWord } from "../../client/roo/console/answer-word.ts";
import type { Proposal } from "../../machines/tool-call/call.ts";
import { callAnswers } from "../../present/asks.ts";
import type { ApprovalAsk, Ask, ProposalAmendment } from "../../runtime/task/ask.ts";
import { changeOf } from "../../tools/diff/unified.ts";
import { colorDiffLine, type Style } from "../show/style.ts";
import { formatFileList, parseFileList } from "./file-list.ts";
import type { Choice } from "./input/choice-menu.ts";

/** An ask with a proposal that a person can edit as a text. */
export type EditableAsk = ApprovalAsk & { readonly proposal: Proposal };

/** A single file has nothing to choose. */
export const isEditable = (ask: Ask): ask is EditableAsk =>
  "proposal" in ask &&
  ask.proposal !== undefined &&
  (ask.proposal.kind !== "files" || ask.proposal.paths.length > 1);

/** The text of a proposal, and the name of its file: an editor knows the language by it. */
export function editableText({ proposal }: EditableAsk): { readonly text: string; readonly name: string } {
  switch (proposal.kind) {
    case "file":
      return { text: proposal.after, name: path.basename(proposal.path) };
    case "todos":
      return { text: proposal.after, name: "todos.md" };
    case "files":
      return { text: formatFileList(proposal.paths), name: "files.txt" };
  }
}

/** The text that a person made of a proposal: what it amends, or why it is invalid. */
export type Edit =
  | { readonly kind: "edited"; readonly proposal: EditedProposal }
  | { readonly kind: "invalid"; readonly problem: string };

export function readEdit({ proposal }: EditableAsk, text: string): Edit {
  switch (proposal.kind) {
    case "file": {
      const { path: file, before, after } = proposal;
      return edited(text, { content: text }, (style) =>
        text === before ? ["(the file stays as it is)"] : diffLines(changeOf(file, after, text).diff, style),
      );
    }
    case "todos":
      return edited(text, { todos: text }, () => text.trimEnd().split("\n").map(printable));
    case "files": {
      const list = parseFileList(text, proposal.paths);
      return list.kind === "invalid"
        ? list
        : edited(text, { files: list.files }, (style) => fileLines(list.files, style));
    }
  }
}

const edited = (
  text: string,
  amendment: ProposalAmendment,
  lines: (style: Style) => readonly string[],
): Edit => ({ kind: "edited", proposal: { text, amendment, lines } });

/** A proposal that the person edited, before it is approved. */
export interface EditedProposal {
  readonly text: string;
  readonly amendment: ProposalAmendment;
  /** The result of the person's edit: the diff to the proposed content, the todo list, or the files that are read. */
  readonly lines: (style: Style) => readonly string[];
}

export const EDITED_QUESTION = "Allow it as edited? y, e: edit again, anything else: back to the proposal: ";

/** The answers to it that can be chosen. */
export const editedChoices = (ask: ApprovalAsk): readonly Choice[] => [
  { line: "y", row: `y  ${callAnswers(ask).yes} as edited` },
  { line: "e", row: "e  Edit again" },
  { line: "n", row: "n  Back to the proposal" },
];

/** The effect of a line after an edit: it is approved, edited again, or dropped. */
export type EditReaction = "approve" | "edit" | "drop";

export function readReaction(line: string): EditReaction {
  const word = answerWord(line);
  if (word === "yes") return "approve";
  return word === "edit" ? "edit" : "drop";
}

function diffLines(diff: string, style: Style): readonly string[] {
  if (diff === "") return ["(as proposed)"];
  return diff.split("\n").map((line) => colorDiffLine(printable(line), style));
}

const fileLines = (files: Readonly<Record<string, boolean>>, style: Style): readonly string[] =>
  Object.entries(files).map(([file, isRead]) =>
    isRead ? printable(file) : style.red(`${printable(file)}  (not read)`),
  );
