import { KEYWORDS, type SimpleCommand, splitCommand, type Word } from "./command-parts.ts";
import {
  CODE_VARIABLE,
  isWrapper,
  NOT_JUDGED,
  OTHER_SHELLS,
  POSIX_SHELLS,
  WRAPPERS_WITH_OPERANDS,
} from "./programs.ts";

/** The commands that a simple command may run. */
export interface Expansion {
  /** Their words. */
  readonly forms: readonly (readonly Word[])[];
  /** Texts that prefixes of denied commands are compared with. */
  readonly texts: readonly string[];
  /** Whether the command that runs can't be determined statically. */
  readonly uncertain: boolean;
  /** The targets of redirects in scripts. */
  readonly targets: readonly Word[];
}

/** An assignment to a variable before a command. */
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
export const isAssignment = ({ text }: Word): boolean => ASSIGNMENT.test(text);
/** A substitution in quotes: the shell may evaluate it later. */
const QUOTED_CODE = /`|\$[({[]/;
/** Maximum nesting of `sh -c`. */
const DEPTH_MAX = 5;
/** Maximum number of commands that one simple command may run, with its scripts. More can't be judged. */
const FORMS_MAX = 500;

/** The expansion of one simple command and of its scripts, each script once. */
interface Expanded {
  forms: number;
  readonly scripts: Set<string>;
}

/**
 * Expand a simple command, so that a deny rule finds a command behind quotes, paths, keywords, assignments, wrappers such
 * as `sudo`, `find -exec`, and `sh -c`.
 */
export function expand(part: SimpleCommand): Expansion {
  return expandWithin(part, 0, { forms: 0, scripts: new Set() });
}

function expandWithin(part: SimpleCommand, depth: number, expanded: Expanded): Expansion {
  const expander = new Expander(part.words, depth, expanded);
  expander.visit({ at: 0, isSure: true, isFed: false });
  const { forms, scripts, isUncertain } = expander;
  const texts = new Set([part.raw, ...forms.flatMap(spellings), ...scripts.flatMap(({ texts }) => texts)]);
  return {
    forms: [...forms, ...scripts.flatMap((script) => script.forms)],
    texts: [...texts],
    uncertain: isUncertain || scripts.some(({ uncertain }) => uncertain),
    targets: scripts.flatMap(({ targets }) => targets),
  };
}

/** A word that may start a command. */
interface Start {
  readonly at: number;
  /** Whether it is known to start one: the options of a wrapper are not known. */
  readonly isSure: boolean;
  /** Whether `xargs` adds arguments that are known only at run time. */
  readonly isFed: boolean;
}

class Expander {
  readonly forms: (readonly Word[])[] = [];
  readonly scripts: Expansion[] = [];
  isUncertain: boolean;
  readonly #words: readonly Word[];
  readonly #depth: number;
  readonly #expanded: Expanded;
  readonly #seen = new Set<string>();
  /** The first word of those that were all tried as a command, by whether `xargs` adds arguments. */
  readonly #triedFrom = new Map<boolean, number>();

  constructor(words: readonly Word[], depth: number, expanded: Expanded) {
    this.#words = words;
    this.#depth = depth;
    this.#expanded = expanded;
    this.isUncertain = words.some(({ text }) => text.includes("=") && CODE_VARIABLE.test(text));
  }

  visit(start: Start): void {
    const { at, isSure, isFed } = start;
    const key = `${at} ${isSure} ${isFed}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const form = this.#words.slice(at);
    const [first] = form;
    if (first === undefined) {
      this.isUncertain ||= isFed;
      return;
    }
    if (this.#expanded.forms >= FORMS_MAX) {
      this.isUncertain = true;
      return;
    }
    this.#expanded.forms += 1;
    this.forms.push(form);
    this.#judge(form, start);
    const { text } = first;
    if (KEYWORDS.has(text) || isAssignment(first)) this.visit({ ...start, at: at + 1 });
    else if (text === "for" && form[2]?.text === "do") this.visit({ ...start, at: at + 3 });
    this.#visitProgram(programIn(text).toLowerCase(), form, start);
  }

  /** Find what makes it impossible to determine what a form runs. */
  #judge(form: readonly Word[], { isSure }: Start): void {
    const [first] = form;
    if (first === undefined) return;
    this.isUncertain ||= first.isDynamic || (isSure && NOT_JUDGED.has(first.text));
    const evaluates = isSure && (isAssignment(first) || EVALUATING.has(first.text));
    this.isUncertain ||=
      evaluates && form.some(({ text }) => QUOTED_CODE.test(text) || CODE_VARIABLE.test(text));
  }

  #visitProgram(program: string, form: readonly Word[], start: Start): void {
    if (isWrapper(program)) this.#visitWrapped(program, form, start);
    if (program === "find") this.#visitFind(form, start);
    if (program === "eval") this.#visitEval(form.slice(1), start);
    if (POSIX_SHELLS.has(program)) this.#visitShell(form, start);
    if (OTHER_SHELLS.has(program)) {
      this.isUncertain = true;
      for (const word of form.slice(1)) this.#visitScript(word);
    }
  }

  #visitWrapped(program: string, form: readonly Word[], start: Start): void {
    const isFed = start.isFed || program === "xargs";
    const options = form.slice(1);
    const begin = options.findIndex(({ text }) => !text.startsWith("-") && !text.includes("="));
    const end = begin < 0 ? options.length : begin;
    if (program === "xargs") this.isUncertain ||= replacesIn(options);
    // `env -S` splits its argument into words.
    if (program === "env") this.isUncertain ||= options.some(({ text }) => /^-(\w*S|-s)/.test(text));
    const isSure = end === 0 && !WRAPPERS_WITH_OPERANDS.has(program);
    this.visit({ at: start.at + 1 + end, isSure: true, isFed });
    // A wrapper before this one may have had the same words.
    const tried = this.#triedFrom.get(isFed) ?? Number.POSITIVE_INFINITY;
    if (isSure || tried <= start.at + 1) return;
    this.#triedFrom.set(isFed, start.at + 1);
    for (const [index, word] of options.entries()) {
      // The argument of an option may be attached to it.
      if (word.isDynamic && word.text.startsWith("-")) this.isUncertain = true;
      if (/\s|[;&|<>]/.test(word.text)) this.#visitScript(word);
      if (index > end) this.visit({ at: start.at + 1 + index, isSure: false, isFed });
    }
  }

  #visitFind(form: readonly Word[], start: Start): void {
    this.isUncertain ||= start.isFed || form.some(({ isOpen, text }) => isOpen && text !== "{}");
    let rest = form;
    for (;;) {
      const begin = rest.findIndex(({ text }) => /^-(exec|ok)(dir)?$/.test(text));
      if (begin < 0) return;
      const words = rest.slice(begin + 1);
      const end = words.findIndex(
        ({ text }, at) => text === ";" || (text === "+" && words[at - 1]?.text === "{}"),
      );
      this.#visitCommand(end < 0 ? words : words.slice(0, end));
      if (end < 0) return;
      rest = words.slice(end + 1);
    }
  }

  #visitCommand(words: readonly Word[]): void {
    if (this.#depth >= DEPTH_MAX) this.isUncertain = true;
    else this.scripts.push(expandWithin({ raw: joined(words).text, words }, this.#depth + 1, this.#expanded));
  }

  #visitEval(args: readonly Word[], { isFed }: Start): void {
    this.isUncertain ||= isFed;
    const [first, ...rest] = args;
    const script = first?.text === "--" ? rest : args;
    this.#visitScript(joined(script));
  }

  #visitShell(form: readonly Word[], { at: start, isFed }: Start): void {
    const options = form.slice(1);
    const at = options.findIndex(({ text }) => /^-\w*c/.test(text));
    const operand = options.findIndex(({ text }) => !/^[-+]/.test(text));
    // A file is a program like any other.
    if (operand >= 0 && (at < 0 || operand < at))
      this.visit({ at: start + 1 + operand, isSure: false, isFed });
    this.isUncertain ||= isFed;
    if (at < 0) this.#judgeFile(options, operand);
    else this.#visitShellScript(options, at);
  }

  /** Without a file, a shell reads commands from its input. */
  #judgeFile(options: readonly Word[], operand: number): void {
    const readsInput = operand < 0 || options.slice(0, operand).some(({ text }) => /^-\w*s/.test(text));
    this.isUncertain ||= readsInput || /^\/(dev|proc)\//.test(options[operand]?.text ?? "");
  }

  #visitShellScript(options: readonly Word[], at: number): void {
    const [next, ...rest] = options.slice(at + 1);
    const script = next?.text === "--" ? rest[0] : next;
    const isPlain =
      script !== undefined && !/^[-+]/.test(script.text) && !/[oi]/i.test(options[at]?.text ?? "");
    this.isUncertain ||= !isPlain || options.slice(0, at).some(({ isDynamic }) => isDynamic);
    for (const word of options.slice(at + 1, isPlain ? at + 3 : undefined)) this.#visitScript(word);
  }

  #visitScript(word: Word): void {
    const { scripts } = this.#expanded;
    if (word.isDynamic || this.#depth >= DEPTH_MAX) this.isUncertain = true;
    else if (!scripts.has(word.text)) {
      scripts.add(word.text);
      this.scripts.push(expandScript(word.text, this.#depth + 1, this.#expanded));
    }
  }
}

/** Builtins that may evaluate the text of their arguments. */
const EVALUATING: ReadonlySet<string> = new Set([
  ...["test", "[", "printf", "read", "unset", "declare", "typeset", "local", "export", "readonly", "wait"],
  ...["getopts", "set", "for"],
]);

/** Whether `xargs` replaces a mark with other text in a script, or a mark that doesn't look like one. */
function replacesIn(options: readonly Word[]): boolean {
  const at = options.findIndex(({ text }) => /^-(\w*[Ii]|-r)/.test(text));
  if (at < 0) return false;
  const isStandard = /[Iie={}]$/.test(options[at]?.text ?? "") && options.slice(at, at + 2).some(isMark);
  return !isStandard || options.some(({ text }) => isShell(programIn(text)));
}

const isMark = ({ text }: Word): boolean => text.endsWith("{}");

const isShell = (program: string): boolean =>
  POSIX_SHELLS.has(program) || OTHER_SHELLS.has(program) || program === "eval";

function expandScript(script: string, depth: number, expanded: Expanded): Expansion {
  const { parts, unsupported, targets } = splitCommand(script);
  const expansions = parts.map((part) => expandWithin(part, depth, expanded));
  return {
    forms: expansions.flatMap(({ forms }) => forms),
    texts: expansions.flatMap(({ texts }) => texts),
    uncertain: unsupported.length > 0 || expansions.some(({ uncertain }) => uncertain),
    targets: [...targets, ...expansions.flatMap((each) => each.targets)],
  };
}

function joined(words: readonly Word[]): Word {
  return {
    text: words.map(({ text }) => text).join(" "),
    isDynamic: words.some(({ isDynamic }) => isDynamic),
    isOpen: words.some(({ isOpen }) => isOpen),
  };
}

function spellings(words: readonly Word[]): readonly string[] {
  const [first, ...rest] = words.map((word) => word.text);
  if (first === undefined) return [];
  return [[first, ...rest].join(" "), [programIn(first), ...rest].join(" ")];
}

/** The name of a program that is named by its path. */
export function programIn(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}
