import { isAssignment, programIn } from "../command-line/command-forms.ts";
import { splitCommand, type Word } from "../command-line/command-parts.ts";
import { judgedWords, programPosition } from "../command-line/wrapped-program.ts";

/** The words of commands that a rule matches. */
export interface CommandPattern {
  readonly words: readonly string[];
  /** Whether any further words may follow. */
  readonly isOpen: boolean;
}

/** `maybe`: it depends on words that are known only at run time. */
export type Match = "yes" | "maybe" | "no";

export const EXPECTED_COMMAND =
  "the words of one command, with `*` as the last word for any further arguments, and without variables, other patterns, `~`, redirects and assignments";

/** Undefined for text that is not one simple command. */
export function parseCommandPattern(text: string): CommandPattern | undefined {
  const trimmed = text.trim();
  const { parts, unsupported } = splitCommand(trimmed);
  const [part] = parts;
  if (part?.raw !== trimmed || unsupported.length > 0 || /[<>]/.test(trimmed)) return undefined;
  const last = part.words.at(-1);
  const isOpen = last?.isDynamic === true && last.text === "*";
  const words = isOpen ? part.words.slice(0, -1) : part.words;
  if (words.some((word) => word.isDynamic || word.text.startsWith("~"))) return undefined;
  if (words[0] !== undefined && isAssignment(words[0])) return undefined;
  return { words: words.map((word) => word.text), isOpen };
}

/**
 * Whether the pattern allows the command. It must name the program that runs in the end: `timeout *` allows nothing that
 * `timeout` runs, `timeout 5 ls *` does. What a plain wrapper such as `timeout 5` runs is also judged in its place.
 */
export function coversCommand(pattern: CommandPattern, words: readonly Word[]): boolean {
  const isNamed =
    !pattern.isOpen || pattern.words.length === 0 || pattern.words.length > programPosition(words);
  if (isNamed && coversWords(pattern, words)) return true;
  const judged = judgedWords(words);
  return judged !== words && coversCommand(pattern, judged);
}

/** Whether the pattern matches exactly these words, whatever their values at run time are. */
export function coversWords({ words, isOpen }: CommandPattern, actual: readonly Word[]): boolean {
  if (actual.length < words.length || (!isOpen && actual.length > words.length)) return false;
  return words.every((word, at) => actual[at]?.text === word && !actual[at].isDynamic);
}

/** Whether the pattern matches these words, ignoring case and the program's path. */
export function findInWords({ words, isOpen }: CommandPattern, actual: readonly Word[]): Match {
  for (const [at, word] of words.entries()) {
    const found = actual[at];
    if (found === undefined) return "no";
    // It may become any number of words.
    if (found.isDynamic) return "maybe";
    const spellings = at === 0 ? [found.text, programIn(found.text)] : [found.text];
    if (!spellings.some((each) => each.toLowerCase() === word.toLowerCase())) return "no";
  }
  const rest = actual.slice(words.length);
  if (isOpen || rest.length === 0) return "yes";
  return rest.every((word) => word.isDynamic) ? "maybe" : "no";
}
