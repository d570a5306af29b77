// cspell:words caffeinate classdata ctty dimsu
import type { Word } from "./command-parts.ts";
import { isWrapper, OTHER_SHELLS, POSIX_SHELLS, programName } from "./programs.ts";

/** Where the program that a wrapper runs stands among the words. `unknown`: that depends on more than its options. */
type Inner = { readonly at: number; readonly isJudgedAlone: boolean } | "none" | "unknown";

/** The options of a wrapper before the program that it runs. Another option makes it unknown. */
interface Options {
  /** Options that are one word. */
  readonly alone?: RegExp;
  /** Options whose argument is the next word. */
  readonly valued?: RegExp;
  /** Number of words between the options and the program. */
  readonly operands?: number;
}

/** Wrappers that run the same program with the same rights: what they run is judged in their place. */
const PLAIN: ReadonlyMap<string, Options> = new Map<string, Options>([
  [
    "timeout",
    {
      alone: /^(-[fpv]|-[ks].+|--(foreground|preserve-status|verbose)|--(kill-after|signal)=.+)$/,
      valued: /^(-[ks]|--kill-after|--signal)$/,
      operands: 1,
    },
  ],
  ["nice", { alone: /^(-n?-?\d+|--adjustment=-?\d+)$/, valued: /^(-n|--adjustment)$/ }],
  ["ionice", { alone: /^(-t|-[cn]\d+|--ignore|--(class|classdata)=\w+)$/, valued: /^-[cn]$/ }],
  ["stdbuf", { alone: /^(-[ioe]\w+|--(input|output|error)=\w+)$/, valued: /^-[ioe]$/ }],
  ["setsid", { alone: /^(-[cfw]+|--(ctty|fork|wait))$/ }],
  ["caffeinate", { alone: /^-[dimsu]+$/, valued: /^-t$/ }],
  ["env", { alone: /^(-i?|--ignore-environment|--unset=\w+)$/, valued: /^(-u|--unset)$/ }],
  ["time", { alone: /^-p$/ }],
  ["command", { alone: /^-p$/ }],
  ["nohup", {}],
  ["exec", {}],
]);

/** Wrappers that change who or what runs: a rule allows what they run only if it names both. */
const NAMED: ReadonlyMap<string, Options> = new Map<string, Options>([
  ["sudo", { alone: /^-[nEHSbk]+$/, valued: /^-[ug]$/ }],
  ["doas", { alone: /^-n$/, valued: /^-u$/ }],
  ["xargs", { alone: /^(-[0rtx]+|-[nPL]\d+)$/, valued: /^-[nPLd]$/ }],
]);

/** Names of wrappers that can't be files of a workspace. */
const SYSTEM_PATH = /^(\/(usr\/)?bin\/)?[^/\\]+$/;

function innerOf(words: readonly Word[]): Inner {
  const [first, ...rest] = words;
  if (first === undefined || first.isDynamic) return "none";
  const program = programName(first.text);
  if (POSIX_SHELLS.has(program)) return fileOf(rest);
  if (program === "find") return rest.some(({ text }) => /^-(exec|ok)/.test(text)) ? "unknown" : "none";
  const options = PLAIN.get(program) ?? NAMED.get(program);
  if (options === undefined)
    return isWrapper(program) || OTHER_SHELLS.has(program) || program === "eval" ? "unknown" : "none";
  const skipped = lengthOf(rest, options);
  const inner = skipped === undefined ? undefined : rest[skipped];
  // `env` may set variables that decide what runs.
  if (skipped === undefined || inner === undefined || !/^[^-=\s][^=\s]*$/.test(inner.text) || inner.isDynamic)
    return "unknown";
  const isJudgedAlone = PLAIN.has(program) && SYSTEM_PATH.test(first.text);
  return { at: 1 + skipped, isJudgedAlone };
}

/** The number of words of the options and operands; undefined if an option is not known. */
function lengthOf(words: readonly Word[], { alone, valued, operands = 0 }: Options): number | undefined {
  let at = 0;
  for (let word = words[at]; word?.text.startsWith("-") === true; word = words[at]) {
    if (word.isDynamic) return undefined;
    if (word.text === "--") {
      at += 1;
      break;
    }
    if (valued?.test(word.text) === true) at += 2;
    else if (alone?.test(word.text) === true) at += 1;
    else return undefined;
  }
  const isKnown = words.slice(0, at + operands).every(({ isDynamic }) => !isDynamic);
  return isKnown ? at + operands : undefined;
}

/** The file that a shell runs. */
function fileOf(args: readonly Word[]): Inner {
  const at = args.findIndex(({ text }) => !/^[-+]/.test(text));
  const hasScript = args.slice(0, at < 0 ? undefined : at).some(({ text }) => /^[-+]\w*[cos]/.test(text));
  return at < 0 || hasScript ? "unknown" : { at: at + 1, isJudgedAlone: false };
}

/** The words of the program that a plain wrapper such as `timeout 5` runs, and that is judged in its place. */
export function judgedWords(words: readonly Word[]): readonly Word[] {
  const inner = innerOf(words);
  return typeof inner === "object" && inner.isJudgedAlone ? judgedWords(words.slice(inner.at)) : words;
}

/**
 * The position of the word that names the program which runs in the end: behind wrappers, and the file of a shell. A rule
 * that leaves it open would allow any program. Infinity: no word names it.
 */
export function programPosition(words: readonly Word[]): number {
  const inner = innerOf(words);
  if (inner === "none") return 0;
  return inner === "unknown" ? Number.POSITIVE_INFINITY : inner.at + programPosition(words.slice(inner.at));
}
