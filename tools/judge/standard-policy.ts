import { byRules, DEFAULT_ALLOW } from "./by-rules.ts";

/** The policy of a task that names none. */
export const STANDARD_POLICY = byRules({ sources: [{ origin: "built-in rules", allow: DEFAULT_ALLOW }] });
