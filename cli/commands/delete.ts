import { printable } from "../../client/printable/printable.ts";
import { confirm } from "../confirmation.ts";
import { EXIT } from "../error.ts";
import type { Io } from "../io.ts";
import { DATA_DIR } from "../options.ts";
import { addTaskStoreOptions, type TaskStore, type TaskStoreFlags, withTaskStore } from "../task-store.ts";
import type { Define } from "./command.ts";

interface DeleteFlags extends TaskStoreFlags {
  readonly yes?: true;
  readonly recursive?: true;
  readonly dataDir: string;
}

export const define: Define = (command, { io, end }) => {
  command
    .argument("<id>", "task id, or a prefix of it")
    .option("-y, --yes", "don't ask for confirmation")
    .option("--recursive", "delete its subtasks too")
    .option(...DATA_DIR);
  addTaskStoreOptions(command).action(async (id: string, flags: DeleteFlags) =>
    end(await withTaskStore(flags, io, ({ history }) => deleteTask(id, flags, { history, io }))),
  );
};

/** Delete a task permanently, after confirmation. */
async function deleteTask(
  given: string,
  flags: DeleteFlags,
  { history, io }: Pick<TaskStore, "history"> & { readonly io: Io },
): Promise<number> {
  const { yes, recursive = false } = flags;
  const id = await history.find(given);
  if (yes !== true) {
    const { title } = await history.read(id);
    const answer = await confirm(
      `Permanently delete ${id} (${printable(title)})?`,
      "Add --yes to delete without asking.",
      io,
    );
    if (answer !== "yes") io.stdout.write("Nothing was deleted.\n");
    if (answer === "interrupted") return EXIT.interrupted;
    if (answer === "no") return EXIT.done;
  }
  const { deleted, remaining } = await history.delete(id, { recursive });
  for (const one of deleted) io.stdout.write(`Deleted ${one}.\n`);
  if (remaining.length > 0)
    io.stdout.write(`Its subtasks were kept: ${remaining.join(", ")}. Use --recursive to delete them too.\n`);
  return EXIT.done;
}
