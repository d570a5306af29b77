/** The intent of a task, in a workspace that has intents. */
export type TaskIntent =
  /** None is selected yet: no call that may have an effect starts (law INTENT). */
  | { readonly stage: "required" }
  /** Calls may change what the intent `id` owns. */
  | { readonly stage: "selected"; readonly id: string };

/** The id of the selected intent. Undefined: the workspace has no intents, or none is selected. */
export const selectedIntent = (intent: TaskIntent | null | undefined): string | undefined =>
  intent?.stage === "selected" ? intent.id : undefined;

/** How a call that may have an effect stands to the intent of its task. */
export type IntentFinding =
  /** All that it changes is in the scope of the intent `id`. */
  | { readonly kind: "owned"; readonly id: string }
  /** The changes of the call are known only afterwards: under the intent `id` a person is asked, unless a rule allows it. */
  | { readonly kind: "unscoped"; readonly id: string }
  /** It never runs. `rule` names what refuses it. */
  | { readonly kind: "refused"; readonly rule: string; readonly reason: string };
