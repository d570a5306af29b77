import type { Input } from "./call.ts";

/** A point of the machine's work at which hooks run. At `afterWrite` they see a call that wrote, after the hooks of `afterTool`. */
export type HookPoint = "beforeRequest" | "beforeTool" | "afterTool" | "afterWrite";

/** The decision of all hooks of one point. The strictest decision wins: deny before ask, amend, replace and allow. */
export type HookVerdict =
  | { readonly kind: "allow" }
  | { readonly kind: "amend"; readonly hook: string; readonly input: Input }
  /** `text`: the result of a call in place of its own, that `hooks` made one after the other. */
  | {
      readonly kind: "replace";
      readonly hooks: readonly string[];
      readonly text: string;
      /** The record of the call has its own result beside it. */
      readonly keepsOriginal?: true;
    }
  | { readonly kind: "ask"; readonly hook: string; readonly reason: string }
  | { readonly kind: "deny"; readonly hook: string; readonly reason: string };

/** A text that a hook adds for the model. */
export interface HookText {
  /** The name of the hook. */
  readonly hook: string;
  readonly text: string;
}
