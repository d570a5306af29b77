/** An order of a call about the subtasks that work in the background. */
export type SubtaskOrder =
  /** The call waits until one of them has ended, or all have. Without `ids`: all subtasks in the background. */
  | { readonly kind: "wait"; readonly until: "any" | "all"; readonly ids?: readonly string[] }
  | { readonly kind: "cancel"; readonly id: string };
