import type { Input } from "./call.ts";
import type { TrustedCall } from "./control.ts";

/** A point of the machine's work at which hooks run. At `afterWrite` they see a call that wrote, after the hooks of `afterTool`. */
export type HookPoint = "beforeRequest" | "beforeTool" | "afterTool" | "afterWrite";

/** The decision of all hooks of one point, and of the protocol that controls the task. The strictest decision wins: deny before ask, amend, replace and allow. */
export type HookVerdict =
  | { readonly kind: "allow" }
  /** `trusted`: the trusted model wrote the call in place of this one. */
  | { readonly kind: "amend"; readonly hook: string; readonly input: Input; readonly trusted?: TrustedCall }
  /** `text`: the result of a call in place of its own, that `hooks` made one after the other. */
  | {
      readonly kind: "replace";
      readonly hooks: readonly string[];
      readonly text: string;
      /** The record of the call has its own result beside it. */
      readonly keepsOriginal?: true;
    }
  /** `audits`: a protocol of control asks, and a "no" ends the task. */
  | { readonly kind: "ask"; readonly hook: string; readonly reason: string; readonly audits?: true }
  | { readonly kind: "deny"; readonly hook: string; readonly reason: string };

/** A text that a hook adds for the model. */
export interface HookText {
  /** The name of the hook. */
  readonly hook: string;
  readonly text: string;
}
