import type { Verdict } from "../../machines/tool-call/index.ts";
import { formsOf } from "./command-forms.ts";
import { type Part, splitCommand } from "./command-parts.ts";
import type { Policy } from "./policy.ts";

export interface CommandRules {
  /** Beginnings of commands that may run, such as `npm test`; `*` is every command. */
  readonly allow?: readonly string[];
  /** Beginnings of commands that may not. */
  readonly deny?: readonly string[];
}

/**
 * Judges command lines by their beginnings. The line is taken apart, and of each part the longest beginning
 * wins, whatever its case; at the same length, `deny` does. One denied part denies the line; it is allowed
 * if every part is. What can't be judged by reading (here-documents, computing expansions, a command named
 * by a variable) is put to a person, and so is output sent to a file, unless `*` is allowed. A beginning
 * ends at a word's end: `git` is not `github-cli`.
 *
 * Allow only what does no harm with any arguments: `find` and `xargs` run other commands.
 */
export function allowCommands(rules: CommandRules): Policy {
  const allow = normal(rules.allow);
  const deny = normal(rules.deny);
  return (call, { description: { command } }) =>
    call.tool.effect === "executes" && command !== undefined ? judge(command, allow, deny) : { kind: "ask" };
}

function normal(prefixes: readonly string[] | undefined): readonly string[] {
  return (prefixes ?? []).map((prefix) => prefix.trim().toLowerCase()).filter((prefix) => prefix !== "");
}

function judge(command: string, allow: readonly string[], deny: readonly string[]): Verdict {
  const { parts, dangers, writes } = splitCommand(command);
  const judged = parts.map((part) => judgePart(part, allow, deny));
  const denied = judged.find((each) => each.verdict === "denied");
  if (denied !== undefined) {
    const reason = `'${denied.raw.slice(0, 200)}' begins with '${denied.rule}', which may not run here.`;
    return { kind: "deny", rule: `deny-command ${denied.rule}`, reason };
  }
  if (dangers.length > 0 || judged.some((each) => each.verdict !== "allowed")) return { kind: "ask" };
  if (writes.length > 0 && !allow.includes("*")) return { kind: "ask" };
  const named = [...new Set(judged.map((each) => each.rule))].join(", ");
  return { kind: "allow", rule: `allow-commands ${named}`.trim() };
}

interface Judged {
  readonly raw: string;
  readonly verdict: "allowed" | "denied" | "unknown";
  readonly rule: string;
}

function judgePart(part: Part, allow: readonly string[], deny: readonly string[]): Judged {
  const { raw } = part;
  const { texts, uncertain } = formsOf(part);
  for (const text of texts) {
    const against = longest(text, deny, /\w/);
    if (against !== undefined && against.length >= (longest(text, allow, /[\w.-]/)?.length ?? 0)) {
      return { raw, verdict: "denied", rule: against };
    }
  }
  // What is allowed is judged by what stands there, not by what it may come down to.
  const rule = longest(raw, allow, /[\w.-]/);
  return uncertain || rule === undefined
    ? { raw, verdict: "unknown", rule: "" }
    : { raw, verdict: "allowed", rule };
}

/** The longest of `prefixes` that `text` begins with. `goesOn`: characters that make a word longer. */
function longest(text: string, prefixes: readonly string[], goesOn: RegExp): string | undefined {
  const lower = text.toLowerCase();
  let best: string | undefined;
  for (const prefix of prefixes) {
    const next = lower[prefix.length] ?? "";
    const endsInWord = /\w$/.test(prefix) && goesOn.test(next);
    const begins = prefix === "*" || (lower.startsWith(prefix) && !endsInWord);
    if (begins && prefix.length > (best?.length ?? 0)) best = prefix;
  }
  return best;
}
