import { type Command, Option } from "commander";
import { PERMISSION_MODES } from "../../machines/tool-call/permissions.ts";
import type { Invocation } from "../commands/command.ts";
import { DATA_DIR, PROJECT_FOLDER, textOrJson } from "../options.ts";
import { ALLOW, DENY } from "../settings/run-flags.ts";
import type { ReplayFlags } from "./replay.ts";

/** Add `permissions replay`. */
export function defineReplay(permissions: Command, { io, print }: Pick<Invocation, "io" | "print">): void {
  permissions
    .command("replay")
    .description("judge the recorded tool calls of tasks again, and show what other permissions would change")
    .argument("[task]", "id of a task (default: all tasks of the workspace)")
    .option(...ALLOW)
    .option(...DENY)
    .addOption(new Option("--permission-mode <mode>", "mode to try").choices(PERMISSION_MODES))
    .option(...PROJECT_FOLDER)
    .option(...DATA_DIR)
    .addOption(textOrJson())
    .action(async (task: string | undefined, flags: ReplayFlags) => {
      const { replayPermissions } = await import("./replay.ts");
      print(await replayPermissions(task, flags, io));
    });
}
