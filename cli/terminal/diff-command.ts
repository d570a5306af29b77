import { printable } from "../../client/printable/printable.ts";
import { formatCommandLine } from "../command-line.ts";
import { CliError } from "../error.ts";
import { showDiff } from "./diff-lines.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";
import { checkpointsOf, nameOf, openTaskCheckpoints } from "./task-checkpoints.ts";

/** `/diff`: what has changed in the workspace since a checkpoint of the task. */
export const diffCommand: SlashCommand = {
  usage: "/diff [last]",
  about: "changes of files since the task's first checkpoint, or its last",
  run: showChanges,
  candidates: () => ["last"],
};

async function showChanges(context: SlashContext, argument: string): Promise<void> {
  const { say, root, dataDir } = context;
  if (argument !== "" && argument !== "last")
    throw new CliError(`Expected /diff or /diff last, received '${printable(argument)}'.`);
  const all = checkpointsOf(context);
  const since = argument === "last" ? (all.at(-1) ?? all[0]) : all[0];
  const changes = await (await openTaskCheckpoints(context)).changesSince(since.hash);
  if (!changes.ok) throw new CliError(`${nameOf(since)} can't be compared: ${changes.reason}`);
  const { added, changed, removed } = changes.files;
  if (added.length + changed.length + removed.length === 0) {
    say(`No file has changed since ${nameOf(since)}.`);
    return;
  }
  const restore = formatCommandLine(["restore", root.id, "--to", since.hash], dataDir);
  showDiff(context, changes.text, `To restore all of these files: ${restore}`);
  say(`${added.length} added, ${changed.length} changed, ${removed.length} removed since ${nameOf(since)}.`);
}
