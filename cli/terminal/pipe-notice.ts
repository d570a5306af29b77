import type { Task } from "../../runtime/task/task.ts";

/** The input may come from a program that reads the questions, or from one that wrote its answers before (L7). */
const NOTICE =
  "stdin is not a terminal: a line answers a question only if it comes after the question, and the end of the input ends the run at the next one. To run without questions, pass --print or -y, or allow the calls by rules (docs/guide/settings.md).\n";

/**
 * The notice for a program that answers questions; empty where no question can come: without a prompt, and where everything is
 * approved.
 */
export const pipeNotice = ({ snapshot }: Task, isStarted: boolean): string =>
  isStarted && snapshot.context.permissions.mode !== "bypass" ? NOTICE : "";
