import type { Verdict } from "../../machines/tool-call/call.ts";
import { expand } from "../command-line/command-forms.ts";
import { type SimpleCommand, splitCommand, type Word } from "../command-line/command-parts.ts";
import { DEFAULT_SHELL, isPosixShell } from "../command-line/programs.ts";
import { judgedWords, programPosition } from "../command-line/wrapped-program.ts";
import type { Policy } from "./policy.ts";

export interface CommandRules {
  /** Prefixes of allowed commands, such as `npm test`; `*` is every command. */
  readonly allow?: readonly string[];
  /** Prefixes of denied commands. */
  readonly deny?: readonly string[];
}

/**
 * Judges command lines by prefix. The line is split into simple commands; for each, the longest matching prefix wins,
 * case-insensitively, and `deny` wins a tie. One denied command denies the line, and a line is allowed if all its
 * commands are. The user is asked about syntax that can't be judged statically (here-documents, expansions that compute,
 * a command in a variable), and about output to a file unless `*` is allowed. A prefix ends at a word boundary: `git`
 * does not match `github-cli`.
 *
 * Allow only commands that are safe with any arguments: `find` and `xargs` run other commands.
 */
export function allowCommands(rules: CommandRules): Policy {
  const allow = normal(rules.allow);
  const deny = normal(rules.deny);
  return ({ tool }, { description: { command, ignoredPath }, shell = DEFAULT_SHELL }) => {
    if (tool.effect !== "executes" || command === undefined) return { kind: "ask" };
    const verdict = judge(command, allow, deny);
    const isAsked = ignoredPath !== undefined || !isPosixShell(shell);
    return verdict.kind === "allow" && isAsked ? { kind: "ask" } : verdict;
  };
}

function normal(prefixes: readonly string[] | undefined): readonly string[] {
  return (prefixes ?? []).map((prefix) => prefix.trim().toLowerCase()).filter((prefix) => prefix !== "");
}

function judge(command: string, allow: readonly string[], deny: readonly string[]): Verdict {
  const { parts, unsupported, writes } = splitCommand(command);
  const judged = parts.map((part) => judgePart(part, allow, deny));
  const denied = judged.find((each) => each.verdict === "denied");
  if (denied !== undefined) {
    const reason = `'${denied.raw.slice(0, 200)}' begins with '${denied.rule}', which is not allowed.`;
    return { kind: "deny", rule: `deny-command ${denied.rule}`, reason };
  }
  if (unsupported.length > 0 || judged.some((each) => each.verdict !== "allowed")) return { kind: "ask" };
  if (writes.length > 0 && !allow.includes("*")) return { kind: "ask" };
  const named = [...new Set(judged.map((each) => each.rule))].join(", ");
  return { kind: "allow", rule: `allow-commands ${named}`.trim() };
}

interface Judged {
  readonly raw: string;
  readonly verdict: "allowed" | "denied" | "unknown";
  readonly rule: string;
}

function judgePart(part: SimpleCommand, allow: readonly string[], deny: readonly string[]): Judged {
  const { raw } = part;
  const { texts, uncertain } = expand(part);
  for (const text of texts) {
    const denied = longest(text, deny, /\w/);
    if (denied !== undefined && denied.length >= (longest(text, allow, /[\w.-]/)?.length ?? 0)) {
      return { raw, verdict: "denied", rule: denied };
    }
  }
  // Only the literal text can be allowed, also of what a plain wrapper such as `timeout 5` runs.
  const rule = allowedBy(raw, part.words, allow);
  return uncertain || rule === undefined
    ? { raw, verdict: "unknown", rule: "" }
    : { raw, verdict: "allowed", rule };
}

/** The longest allowed prefix that names the program which runs in the end, as `sudo ls` does and `sudo` does not. */
function allowedBy(raw: string, words: readonly Word[], allow: readonly string[]): string | undefined {
  const position = programPosition(words);
  const named = allow.filter((prefix) => prefix === "*" || prefix.split(/\s+/).length > position);
  const rule = longest(raw, named, /[\w.-]/);
  const judged = judgedWords(words);
  if (rule !== undefined || judged === words) return rule;
  return allowedBy(judged.map(({ text }) => text).join(" "), judged, allow);
}

/** The longest of `prefixes` that `text` begins with. `wordCharacter` matches a character that continues a word. */
function longest(text: string, prefixes: readonly string[], wordCharacter: RegExp): string | undefined {
  const lower = text.toLowerCase();
  let best: string | undefined;
  for (const prefix of prefixes) {
    const next = lower[prefix.length] ?? "";
    const endsInWord = /\w$/.test(prefix) && wordCharacter.test(next);
    const begins = prefix === "*" || (lower.startsWith(prefix) && !endsInWord);
    if (begins && prefix.length > (best?.length ?? 0)) best = prefix;
  }
  return best;
}
