import { BASE_CAPABILITIES } from "../../client/index.ts";

/** What a client of this command may send: the protocol's commands, and those that were added. */
export const CAPABILITIES: readonly string[] = [
  ...BASE_CAPABILITIES,
  "stdin:approve",
  "stdin:reject",
  "stdin:continue",
  "stdin:abort",
  "stdin:queue",
  "stdin:edit",
  "stdin:mode",
  "stdin:launch",
];
