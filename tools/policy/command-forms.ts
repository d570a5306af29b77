import { type Part, splitCommand, type Word } from "./command-parts.ts";

/** What one part of a command line may come down to. */
export interface Forms {
  /** Texts that a rule against it is compared with. */
  readonly texts: readonly string[];
  /** Nobody can tell by reading which command runs. */
  readonly uncertain: boolean;
}

/** Words after which another command begins. */
const KEYWORDS = new Set(["if", "then", "else", "elif", "do", "while", "until", "!", "{", "time"]);
/** Programs that run the command that is named after their own options. */
const WRAPPERS = new Set([
  ...["sudo", "doas", "command", "builtin", "exec", "env", "nohup", "nice", "ionice", "stdbuf", "setsid"],
  ...["timeout", "xargs", "busybox", "time", "chroot", "unshare", "watch"],
]);
const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "fish"]);
/** Grammar that is not followed here. */
const UNREAD = new Set([
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
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
/** How often a shell may stand in a shell's argument. */
const DEPTH_MAX = 5;
/** How many words after a wrapper are taken for the command. */
const WRAPPED_WORDS_MAX = 50;

/**
 * The texts that a part may come down to, so that a rule against a command finds it behind quotes, paths,
 * keywords, assignments, wrappers such as `sudo`, and `sh -c`.
 */
export function formsOf(part: Part, depth = 0): Forms {
  const texts = new Set([part.raw, ...spellings(part.words)]);
  let words = part.words;
  for (let next = unwrap(words); next !== undefined; next = unwrap(words)) {
    // Which of its options takes a value only a wrapper knows: any word after it may begin the command.
    const last = isWrapper(words) ? Math.min(next.length, WRAPPED_WORDS_MAX) : 1;
    for (let from = 0; from < last; from += 1) {
      for (const text of spellings(next.slice(from))) texts.add(text);
    }
    words = next;
  }
  const [first] = words;
  const isOpen = first !== undefined && (first.open || UNREAD.has(first.text));
  const inner = formsOfScript(scriptIn(words), depth);
  return { texts: [...texts, ...inner.texts], uncertain: isOpen || inner.uncertain };
}

function formsOfScript(script: Word | undefined, depth: number): Forms {
  if (script === undefined) return { texts: [], uncertain: false };
  if (script.open || depth >= DEPTH_MAX) return { texts: [], uncertain: true };
  const { parts, dangers } = splitCommand(script.text);
  const forms = parts.map((part) => formsOf(part, depth + 1));
  return {
    texts: forms.flatMap(({ texts }) => texts),
    uncertain: dangers.length > 0 || forms.some(({ uncertain }) => uncertain),
  };
}

function spellings(words: readonly Word[]): readonly string[] {
  const [first, ...rest] = words.map((word) => word.text);
  if (first === undefined) return [];
  return [[first, ...rest].join(" "), [programIn(first), ...rest].join(" ")];
}

/** The words without what stands before the command proper, or undefined where nothing does. */
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

function programIn(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** The command line that a shell or `eval` is given as an argument. */
function scriptIn(words: readonly Word[]): Word | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  const program = programIn(first.text);
  if (program === "eval") {
    return { text: rest.map((word) => word.text).join(" "), open: rest.some((word) => word.open) };
  }
  if (!SHELLS.has(program)) return undefined;
  const at = rest.findIndex((word) => /^-\w*c/.test(word.text));
  return at < 0 ? undefined : rest.slice(at + 1).find((word) => !word.text.startsWith("-"));
}
