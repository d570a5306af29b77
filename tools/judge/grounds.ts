import type { Grounded } from "../../machines/judge/opinion.ts";

/** An ask, with a clause that says why. */
export const ask = (because: string): Grounded => ({ verdict: { kind: "ask", because }, because });

export const allow = (rule: string): Grounded => ({
  verdict: { kind: "allow", rule },
  because: `allowed by ${rule}`,
});

/** A denial by a rule. `what`: a clause that says what is denied. */
export const deny = (rule: string, what: string): Grounded => ({
  verdict: { kind: "deny", rule, reason: `${what}. Continue without it, or ask the user.` },
  because: `denied by ${rule}: ${what}`,
});
