import { formatError, ToolError } from "../../tools/error.ts";

/** Maximum length of a reason, in UTF-16 units. */
export const REASON_MAX_CHARS = 1_000;

/** The reason for a denial by a hook that did not decide. */
export const failureReason = (error: unknown): string =>
  `it did not decide, which denies: ${formatError(error)}`.slice(0, REASON_MAX_CHARS).toWellFormed();

/** A hook that did not decide. The message is a clause: what was expected, what came. */
export const noDecision = (message: string): ToolError => new ToolError("HOOK_INVALID", message);
