import type { TaskIntent } from "../../../machines/tool-call/index.ts";

/** The id of the selected intent. Undefined: the workspace has none, or none is selected. */
export const selectedIntent = (intent: TaskIntent | null | undefined): string | undefined =>
  intent?.stage === "selected" ? intent.id : undefined;
