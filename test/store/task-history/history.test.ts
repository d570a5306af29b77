import { rmSync } from "node:fs";
import path from "node:path";
import { openHistory } from "../../../runtime/task-history/task-history.ts";
import { fileJournal } from "../../../store/index.ts";
import { Archive } from "./data-folder.ts";
import { describeHistory } from "./history-suite.ts";

describeHistory("files", async () => {
  const archive = new Archive();
  return {
    history: openHistory({ dataDir: archive.dataDir }),
    put: async (id, bytes) => archive.put(id, bytes),
    journal: (id) => fileJournal({ dir: archive.folder(id) }),
    clear: async () => rmSync(path.join(archive.dataDir, "tasks"), { recursive: true, force: true }),
    close: async () => archive[Symbol.dispose](),
  };
});
