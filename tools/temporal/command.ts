import { memoize } from "../../machines/conversation/memoize.ts";
import { expand } from "../command-line/command-forms.ts";
import { splitCommand, type Word } from "../command-line/command-parts.ts";
import { type CommandPattern, coversWords, findInWords } from "../policy/command-pattern.ts";
import type { PolicyEvent } from "./event.ts";

interface CommandWords {
  /** The words of the simple commands of the line. */
  readonly parts: readonly (readonly Word[])[];
  /** The words of every command that the line may run. */
  readonly forms: readonly (readonly Word[])[];
  /** Texts in it that may be paths. */
  readonly names: readonly string[];
  /** Whether these are all commands that it may run. */
  readonly isClear: boolean;
}

/** The characters that may surround a path in a word, as in `--file=a` and `HEAD:a`. */
const AROUND_PATHS = /[\s=:,;@'"`()<>|&{}]+/;

/** The words of the command line of an event, split once. */
export const commandOf = memoize(({ command = "" }: PolicyEvent): CommandWords => {
  const { parts, unsupported, targets } = splitCommand(command);
  const expansions = parts.map((part) => expand(part));
  const forms = expansions.flatMap((each) => each.forms);
  const words = [...forms.flat(), ...targets, ...expansions.flatMap((each) => each.targets)];
  return {
    parts: parts.map((part) => part.words),
    forms,
    names: [...new Set(words.flatMap(({ text }) => [text, ...text.split(AROUND_PATHS)]))].filter(isName),
    isClear: unsupported.length === 0 && !expansions.some(({ uncertain }) => uncertain),
  };
});

const isName = (text: string): boolean => text !== "" && text !== "/" && text !== ".";

/** Whether one of the commands may run, also behind a wrapper or at run time. */
export function mayRun(patterns: readonly CommandPattern[], event: PolicyEvent): boolean {
  const { forms, isClear } = commandOf(event);
  return !isClear || patterns.some((pattern) => forms.some((form) => findInWords(pattern, form) !== "no"));
}

/** Whether the line is made of nothing but these commands. */
export function runsOnly(patterns: readonly CommandPattern[], event: PolicyEvent): boolean {
  const { parts, isClear } = commandOf(event);
  return (
    isClear &&
    parts.length > 0 &&
    parts.every((words) => patterns.some((pattern) => coversWords(pattern, words)))
  );
}
