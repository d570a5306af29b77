import { type SimpleCommand, splitCommand, type Word } from "./command-parts.ts";

/** The commands that a simple command may run. */
export interface Expansion {
  /** Their words. */
  readonly forms: readonly (readonly Word[])[];
  /** Texts that prefixes of denied commands are compared with. */
  readonly texts: readonly string[];
  /** Whether the command that runs can't be determined statically. */
  readonly uncertain: boolean;
}

/** Keywords that precede a command. */
const KEYWORDS = new Set(["if", "then", "else", "elif", "do", "while", "until", "!", "{", "time"]);
/** Programs that run the command after their options. */
const WRAPPERS = new Set([
  ...["sudo", "doas", "command", "builtin", "exec", "env", "nohup", "nice", "ionice", "stdbuf", "setsid"],
  ...["timeout", "xargs", "busybox", "time", "chroot", "unshare", "watch"],
]);
const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "fish"]);
/** Syntax that is not parsed. */
const UNPARSED = new Set([
  "case",
  "esac",
  "select",
  "function",
  "coproc",
  "[[",
  "((",
  "source",
  ".",
  "alias",
  "trap",
]);
/** An assignment to a variable before a command. */
export const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
/** Maximum nesting of `sh -c`. */
const DEPTH_MAX = 5;
/** Maximum number of words after a wrapper that may start the command. */
const WRAPPED_WORDS_MAX = 50;

/**
 * Expand a simple command, so that a deny rule finds a command behind quotes, paths, keywords, assignments, wrappers such
 * as `sudo`, and `sh -c`.
 */
export function expand(part: SimpleCommand, depth = 0): Expansion {
  const forms = [part.words];
  let words = part.words;
  for (let next = unwrap(words); next !== undefined; next = unwrap(words)) {
    // The options of a wrapper are unknown, so any word after it may start the command.
    const last = isWrapper(words) ? Math.min(next.length, WRAPPED_WORDS_MAX) : 1;
    for (let from = 0; from < last; from += 1) forms.push(next.slice(from));
    words = next;
  }
  const [first] = words;
  const isOpen = first !== undefined && (first.isDynamic || UNPARSED.has(first.text));
  const inner = expandScript(scriptIn(words), depth);
  const texts = new Set([part.raw, ...forms.flatMap(spellings), ...inner.texts]);
  return {
    forms: [...forms, ...inner.forms],
    texts: [...texts],
    uncertain: isOpen || inner.uncertain,
  };
}

function expandScript(script: Word | undefined, depth: number): Expansion {
  if (script === undefined) return { forms: [], texts: [], uncertain: false };
  if (script.isDynamic || depth >= DEPTH_MAX) return { forms: [], texts: [], uncertain: true };
  const { parts, unsupported } = splitCommand(script.text);
  const expansions = parts.map((part) => expand(part, depth + 1));
  return {
    forms: expansions.flatMap(({ forms }) => forms),
    texts: expansions.flatMap(({ texts }) => texts),
    uncertain: unsupported.length > 0 || expansions.some(({ uncertain }) => uncertain),
  };
}

function spellings(words: readonly Word[]): readonly string[] {
  const [first, ...rest] = words.map((word) => word.text);
  if (first === undefined) return [];
  return [[first, ...rest].join(" "), [programIn(first), ...rest].join(" ")];
}

/** Remove a keyword, assignment or wrapper before the command. Undefined if there is none. */
function unwrap(words: readonly Word[]): readonly Word[] | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  if (KEYWORDS.has(first.text) || ASSIGNMENT.test(first.text)) return rest;
  if (!isWrapper(words)) return undefined;
  const begin = rest.findIndex(({ text }) => !/^(-|\d+[smhd]?$)/.test(text) && !ASSIGNMENT.test(text));
  return begin < 0 ? undefined : rest.slice(begin);
}

function isWrapper([first]: readonly Word[]): boolean {
  return first !== undefined && WRAPPERS.has(programIn(first.text));
}

/** The name of a program that is named by its path. */
export function programIn(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** The script argument of a shell or `eval`. */
function scriptIn(words: readonly Word[]): Word | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  const program = programIn(first.text);
  if (program === "eval") {
    return { text: rest.map((word) => word.text).join(" "), isDynamic: rest.some((word) => word.isDynamic) };
  }
  if (!SHELLS.has(program)) return undefined;
  const at = rest.findIndex((word) => /^-\w*c/.test(word.text));
  return at < 0 ? undefined : rest.slice(at + 1).find((word) => !word.text.startsWith("-"));
}
