import { fileJournal } from "../../store/index.ts";
import { crashingJournal } from "../../testing/index.ts";
import { orderSchema } from "./child-input.ts";
import { PROMPT, TASK_ID } from "./scenario.ts";
import { hostIn, journalFolder, optionsIn, runToEnd } from "./scenario-run.ts";

/** Runs the task and kills its own process at a byte of a journal. */
const { place, at, reopen } = orderSchema.parse(JSON.parse(process.argv[2] ?? ""));

const host = hostIn(place, (taskId) => {
  const dir = journalFolder(place, taskId);
  return taskId === at?.task ? crashingJournal({ dir, at }) : fileJournal({ dir });
});
const options = optionsIn(place);
const task = reopen ? await host.open(TASK_ID, options) : await host.create({ ...options, id: TASK_ID });
await runToEnd(host, task, reopen ? "Go on." : PROMPT);
await host.closeAll();
