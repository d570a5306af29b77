import type { Io } from "../io.ts";
import { addRunOptions, type RunFlags } from "../settings/run-flags.ts";
import { rejectOneWord } from "../unknown-command.ts";
import type { Define } from "./command.ts";

export const define: Define = (command, { args, io, end }) => {
  command.argument("[prompt]", "the task prompt");
  addRunOptions(command).action(async (prompt: string | undefined, flags: RunFlags) => {
    if (command.parent !== null) rejectOneWord(prompt, args, command.parent);
    end(await runPrompt(prompt, flags, io));
  });
};

/** Run a task with these flags. Flags that can't be used are reported before the modules of a run are loaded. */
export async function runPrompt(prompt: string | undefined, flags: RunFlags, io: Io): Promise<number> {
  const { readSettings } = await import("../settings/run-settings.ts");
  const settings = await readSettings(prompt, flags, io);
  const { run } = await import("../run/run.ts");
  return run(settings, io);
}
