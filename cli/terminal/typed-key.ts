import { answerWord } from "../../client/roo/console/answer-word.ts";
import { isApproval } from "../../present/asks.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import { subtaskNumber } from "../run/subtasks.ts";
import { taskName } from "./task-views.ts";

/** The meaning of a line that may be a key, with or without the number of a subtask: `y`, `k 2`. */
export type LineMeaning =
  | { readonly kind: "text" }
  /** It leaves or terminates a running command. */
  | { readonly kind: "command"; readonly key: string; readonly number: string | undefined }
  /** It answers the task that asks, which it names. */
  | { readonly kind: "answer"; readonly line: string }
  /** It names another task than the one that asks. */
  | { readonly kind: "misdirected"; readonly problem: string };

/** The work at which a line is typed. */
export interface TypedAt {
  /** The open question and its task. */
  readonly question: { readonly ask: Ask; readonly asker: Task } | undefined;
  readonly hasCommands: boolean;
  /** Whether subtasks work: otherwise a number names none. */
  readonly hasSubtasks: boolean;
}

const TEXT: LineMeaning = { kind: "text" };
const COMMAND_KEYS: ReadonlySet<string> = new Set(["b", "k"]);

/** Read a line. A key with the number of one task answers no other (L7). */
export function lineMeaning(line: string, { question, hasCommands, hasSubtasks }: TypedAt): LineMeaning {
  const [, key = "", number] = /^([a-z]+)(?:\s+(\d+(?:\.\d+)*))?$/i.exec(line.trim()) ?? [];
  if (COMMAND_KEYS.has(key)) {
    const isMeant =
      number === undefined ? hasCommands && !mayAnswer(question?.ask) : hasCommands || hasSubtasks;
    return isMeant ? { kind: "command", key, number } : TEXT;
  }
  if (number === undefined || question === undefined || !hasSubtasks || answerWord(key) === undefined)
    return TEXT;
  const { asker } = question;
  if (number === subtaskNumber(asker)) return { kind: "answer", line: key };
  const problem = `Nothing was answered: ${taskName(asker)} asks now. Answer it with ${key} alone, or wait until subtask ${number} asks.`;
  return { kind: "misdirected", problem };
}

/** Whether the key of a command without a number can be the answer to a question. */
const mayAnswer = (ask: Ask | undefined): boolean => ask !== undefined && !isApproval(ask.type);
