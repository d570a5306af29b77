import type { Input } from "../../machines/tool-call/call.ts";
import {
  ATTACK_FOUND,
  CONTROL_HOOK,
  TASK_ENDED,
  type TrustedCall,
} from "../../machines/tool-call/control.ts";
import type { HookText, HookVerdict } from "../../machines/tool-call/hooks.ts";
import type { CallVerdict, ResponseVerdict, ResultVerdict } from "../verdict.ts";

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

/** The effect of a verdict on a response. */
export interface ResponseEnding {
  /** Present: the trusted model's response follows. */
  readonly author?: "trusted";
  /** The reason why nothing follows, for the model. */
  readonly withheld?: string;
  /** The reason why another text follows, for the model. */
  readonly told?: string;
  /** The reason why the task ends. */
  readonly shutDown?: string;
}

/** The reason for the model where the protocol gives none. */
export const NOT_APPROVED = "it was not approved.";
const NOT_AUDITED = "it could not be audited.";
const ALLOW: Ending = { verdict: { kind: "allow" }, texts: [] };
const ASKED: HookVerdict = { kind: "ask", hook: CONTROL_HOOK, reason: "the call is audited.", audits: true };

/** The effect of a verdict about a call. Without an auditor, a person is asked. */
export function callEnding(verdict: CallVerdict, { audit, trusted }: Found): Ending {
  switch (verdict.kind) {
    case "modify":
      return {
        verdict: { kind: "amend", hook: CONTROL_HOOK, input: verdict.input },
        texts: [{ hook: CONTROL_HOOK, text: verdict.reason }],
      };
    case "replace": {
      if (trusted === undefined) return deny(NOT_APPROVED);
      const { input, ...call } = trusted;
      return { verdict: { kind: "amend", hook: CONTROL_HOOK, input, trusted: call }, texts: [] };
    }
    case "audit":
      return auditEnding(audit) ?? { verdict: ASKED, texts: [] };
    default:
      return plainEnding(verdict);
  }
}

/** The effect of a verdict about a result. Without an auditor, a result that should be audited is withheld. */
export function resultEnding(verdict: ResultVerdict, { audit }: Found): Ending {
  switch (verdict.kind) {
    case "modify":
      return {
        verdict: { kind: "replace", hooks: [CONTROL_HOOK], text: verdict.result },
        texts: [{ hook: CONTROL_HOOK, text: verdict.reason }],
      };
    case "audit":
      return auditEnding(audit) ?? deny(NOT_AUDITED);
    default:
      return plainEnding(verdict);
  }
}

/** The effect of a verdict about a response. Without an auditor, a response that should be audited is withheld. */
export function responseEnding(
  verdict: Exclude<ResponseVerdict, { kind: "resample" }>,
  { audit, trusted }: { readonly audit?: Found["audit"]; readonly trusted?: object | undefined },
): ResponseEnding {
  switch (verdict.kind) {
    case "pass":
      return {};
    case "deny":
      return { withheld: verdict.reason };
    case "modify":
      return { told: verdict.reason };
    case "replace":
      return trusted === undefined ? { withheld: NOT_APPROVED } : { author: "trusted" };
    case "audit":
      if (audit === undefined) return { withheld: NOT_AUDITED };
      return audit === "harmless" ? {} : { withheld: TASK_ENDED, shutDown: ATTACK_FOUND };
    case "shutDown":
      return { withheld: TASK_ENDED, shutDown: verdict.reason };
  }
}

/** The effect of a verdict that is the same for a call and a result. */
function plainEnding(verdict: Extract<ResultVerdict, { kind: "pass" | "deny" | "shutDown" }>): Ending {
  if (verdict.kind === "pass") return ALLOW;
  return verdict.kind === "deny" ? deny(verdict.reason) : endTask(verdict.reason);
}

function auditEnding(audit: Found["audit"]): Ending | undefined {
  if (audit === undefined) return undefined;
  return audit === "harmless" ? ALLOW : endTask(ATTACK_FOUND);
}

const deny = (reason: string): Ending => ({
  verdict: { kind: "deny", hook: CONTROL_HOOK, reason },
  texts: [],
});

const endTask = (shutDown: string): Ending => ({ ...deny(TASK_ENDED), shutDown });
