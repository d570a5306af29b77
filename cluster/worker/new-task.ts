import path from "node:path";
import type { ReopenOptions, TaskOptions } from "signalbox";
import type { Inbox } from "../../ports/inbox.ts";
import { parseInboxCommand } from "../../wire/inbox.ts";

/**
 * The options of a task that was never created, if the first command in its inbox starts it. `workspace`: the default one;
 * relative workspaces are resolved against it.
 */
export async function newTaskOptions(
  taskId: string,
  options: ReopenOptions,
  { inbox, workspace }: { readonly inbox: Pick<Inbox, "after"> | undefined; readonly workspace: string },
): Promise<TaskOptions | undefined> {
  const [first] = (await inbox?.after(taskId, 0)) ?? [];
  const parsed = first && parseInboxCommand(first.command);
  if (parsed?.ok !== true || parsed.command.kind !== "start") return undefined;
  const { workspace: folder = ".", mode } = parsed.command;
  return {
    ...options,
    id: taskId,
    workspace: path.resolve(workspace, folder),
    ...(mode !== undefined && { mode }),
  };
}
