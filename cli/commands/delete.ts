import { printable } from "../../client/printable/printable.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { confirm } from "../confirmation.ts";
import { EXIT } from "../error.ts";
import type { Io } from "../io.ts";
import { DATA_DIR } from "../options.ts";
import { withCliErrors } from "../store-error.ts";
import type { Define } from "./command.ts";

interface DeleteFlags {
  readonly yes?: true;
  readonly recursive?: true;
  readonly dataDir: string;
}

export const define: Define = (command, { io, end }) => {
  command
    .argument("<id>", "task id, or a prefix of it")
    .option("-y, --yes", "don't ask for confirmation")
    .option("--recursive", "delete its subtasks too")
    .option(...DATA_DIR)
    .action(async (id: string, flags: DeleteFlags) => end(await deleteTask(id, flags, io)));
};

/** Delete a task permanently, after confirmation. */
async function deleteTask(given: string, flags: DeleteFlags, io: Io): Promise<number> {
  const { dataDir, recursive = false } = flags;
  const history = openHistory({ dataDir });
  const id = await withCliErrors(() => history.find(given));
  if (flags.yes !== true) {
    const { title } = await withCliErrors(() => history.read(id));
    const answer = await confirm(
      `Permanently delete ${id} (${printable(title)})?`,
      "Add --yes to delete without asking.",
      io,
    );
    if (answer !== "yes") io.stdout.write("Nothing was deleted.\n");
    if (answer === "interrupted") return EXIT.interrupted;
    if (answer === "no") return EXIT.done;
  }
  const { deleted, remaining } = await withCliErrors(() => history.delete(id, { recursive }));
  for (const one of deleted) io.stdout.write(`Deleted ${one}.\n`);
  if (remaining.length > 0)
    io.stdout.write(`Its subtasks were kept: ${remaining.join(", ")}. Use --recursive to delete them too.\n`);
  return EXIT.done;
}
