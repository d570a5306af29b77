import type { Input } from "./call.ts";

/** A point of the machine's work at which hooks run. At `afterWrite` they see a call that wrote, after those of `afterTool`. */
export type HookPoint = "beforeRequest" | "beforeTool" | "afterTool" | "afterWrite";

/** What the hooks of one point decided together: the strictest decision counts, deny before ask, amend and allow. */
export type HookVerdict =
  | { readonly kind: "allow" }
  | { readonly kind: "amend"; readonly hook: string; readonly input: Input }
  | { readonly kind: "ask"; readonly hook: string; readonly reason: string }
  | { readonly kind: "deny"; readonly hook: string; readonly reason: string };

/** A text that a hook adds for the model. */
export interface HookText {
  /** The name of the hook. */
  readonly hook: string;
  readonly text: string;
}
