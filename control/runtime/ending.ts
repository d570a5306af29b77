import type { Input } from "../../machines/tool-call/call.ts";
import type { TrustedCall } from "../../machines/tool-call/control.ts";
import type { HookText, HookVerdict } from "../../machines/tool-call/hooks.ts";
import type { CallVerdict, ResultVerdict } from "../verdict.ts";

/** The results of the work for a verdict before it takes effect. */
export interface Found {
  /** The finding of an auditor. Absent: there is none, or it failed. */
  readonly audit?: "attack" | "harmless" | undefined;
  /** The call of the trusted model. Absent: there is none, or it failed. */
  readonly trusted?: (TrustedCall & { readonly input: Input }) | undefined;
}

/** The effect of a verdict on a call or its result. */
export interface Ending {
  readonly verdict: HookVerdict;
  /** Texts for the model. */
  readonly texts: readonly HookText[];
  /** The reason why the task ends. */
  readonly shutDown?: string;
}

/** The name under which the model knows the protocol: it says nothing about it. */
const HOOK = "control";
const ALLOW: Ending = { verdict: { kind: "allow" }, texts: [] };
const NOT_APPROVED = "it was not approved.";

const deny = (reason: string): Ending => ({ verdict: { kind: "deny", hook: HOOK, reason }, texts: [] });

const endTask = (shutDown: string): Ending => ({ ...deny("the task was ended."), shutDown });

/** The reason why an audit ends a task. */
export const ATTACK_FOUND = "The audit found an attack.";

/** The effect of a verdict about a call. Without an auditor, a person is asked. */
export function callEnding(verdict: CallVerdict, { audit, trusted }: Found): Ending {
  switch (verdict.kind) {
    case "pass":
      return ALLOW;
    case "deny":
      return deny(verdict.reason);
    case "modify":
      return {
        verdict: { kind: "amend", hook: HOOK, input: verdict.input },
        texts: [{ hook: HOOK, text: verdict.reason }],
      };
    case "replace": {
      if (trusted === undefined) return deny(NOT_APPROVED);
      const { input, ...call } = trusted;
      return { verdict: { kind: "amend", hook: HOOK, input, trusted: call }, texts: [] };
    }
    case "audit":
      return auditEnding(audit) ?? { verdict: ASKED, texts: [] };
    case "shutDown":
      return endTask(verdict.reason);
  }
}

const ASKED: HookVerdict = { kind: "ask", hook: HOOK, reason: "the call is audited.", audits: true };

/** The effect of a verdict about a result. Without an auditor, a result that should be audited is withheld. */
export function resultEnding(verdict: ResultVerdict, { audit }: Found): Ending {
  switch (verdict.kind) {
    case "pass":
      return ALLOW;
    case "deny":
      return deny(verdict.reason);
    case "modify":
      return {
        verdict: { kind: "replace", hooks: [HOOK], text: verdict.result },
        texts: [{ hook: HOOK, text: verdict.reason }],
      };
    case "audit":
      return auditEnding(audit) ?? deny("it could not be audited.");
    case "shutDown":
      return endTask(verdict.reason);
  }
}

function auditEnding(audit: Found["audit"]): Ending | undefined {
  if (audit === undefined) return undefined;
  return audit === "harmless" ? ALLOW : endTask(ATTACK_FOUND);
}
