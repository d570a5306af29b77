import path from "node:path";
import type { ReopenOptions, TaskOptions } from "signalbox";
import type { Inbox } from "../../ports/inbox.ts";
import { parseInboxCommand } from "../../wire/inbox.ts";

/** A task that the first command in its inbox starts. */
export interface NewTask {
  readonly options: TaskOptions;
  /** The position of that command. */
  readonly position: number;
}

/**
 * A task that was never created, if the first command in its inbox starts it. `workspace`: the default one;
 * relative workspaces are resolved against it.
 */
export async function newTask(
  taskId: string,
  options: ReopenOptions,
  { inbox, workspace }: { readonly inbox: Pick<Inbox, "after"> | undefined; readonly workspace: string },
): Promise<NewTask | undefined> {
  const [first] = (await inbox?.after(taskId, 0)) ?? [];
  const parsed = first && parseInboxCommand(first.command);
  if (first === undefined || parsed?.ok !== true || parsed.command.kind !== "start") return undefined;
  const { workspace: folder = ".", mode } = parsed.command;
  const own = { id: taskId, workspace: path.resolve(workspace, folder), ...(mode !== undefined && { mode }) };
  return { options: { ...options, ...own }, position: first.position };
}
