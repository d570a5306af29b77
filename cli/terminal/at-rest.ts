import { CliError } from "../error.ts";
import type { SlashContext } from "./slash-context.ts";

/** @throws CliError while the task streams or runs something: `what` must not happen then */
export function assertAtRest({ root, task }: SlashContext, what: string): void {
  if (![root, task()].some(({ state }) => state.state === "running" || state.state === "streaming")) return;
  throw new CliError(`The task is working: it must wait or be at rest to ${what}. Wait, or /cancel first.`);
}
