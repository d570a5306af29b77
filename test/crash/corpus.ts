import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { JOURNAL_VERSION } from "../../wire/index.ts";
import { recordLife } from "./recorded.ts";
import { recordsOf, wholeLines } from "./records.ts";
import { TASK_ID } from "./scenario.ts";

/** Where the kept journals end: where a person is asked, where a command runs and where a subtask works. */
const CUTS = {
  approving: "waiting_for_input.approval",
  commanding: "running.commanding",
  delegated: "running.delegated",
};

/**
 * Keeps journals of the present format, so that later versions are tested to open them: the life of the crash matrix.
 * Gives their folder.
 */
export async function keepCorpus(): Promise<string> {
  const { journals } = await recordLife();
  const journal = journals.get(TASK_ID) ?? Buffer.alloc(0);
  const records = recordsOf(journal);
  const folder = fileURLToPath(new URL(`../fixtures/journals/v${JOURNAL_VERSION}/`, import.meta.url));
  await mkdir(folder, { recursive: true });
  for (const [name, state] of Object.entries(CUTS)) {
    const last = records.findLastIndex(({ after }) => after === state);
    const lines = wholeLines(journal).slice(0, last + 1);
    await writeFile(`${folder}${name}.jsonl`, lines.map((line) => `${line.toString("utf8")}\n`).join(""));
  }
  return folder;
}
