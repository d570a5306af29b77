import { existsSync } from "node:fs";
import { ripgrep } from "../../adapters/workspace/ripgrep.ts";
import { tasksFolder } from "../../store/files/data-folder.ts";
import {
  HITS_MAX,
  linePattern,
  searchedText,
  searchHit,
  TASK_HITS_MAX,
  type TaskSearch,
} from "../../store/task-history/search.ts";
import { JOURNAL } from "../../store/task-history/task-folder.ts";
import type { SearchHit } from "../../wire/http/search.ts";

/**
 * The records of all tasks that contain a text, as they are found; at most 5 of each task, and 2,000 in all. Journals are
 * searched as they are on disk, also while another process writes them.
 */
export async function* searchTasks(dataDir: string, search: TaskSearch): AsyncGenerator<SearchHit, void> {
  const cwd = tasksFolder(dataDir);
  const wanted = searchedText(search);
  if (wanted === "" || !existsSync(cwd)) return;
  const stop = new AbortController();
  const args = [
    ...["--only-matching", "--no-heading", "--no-line-number", "--with-filename", "--no-ignore", "--text"],
    ...[`--max-count=${TASK_HITS_MAX}`, `--glob=*/${JOURNAL}`, "--replace=$seq $excerpt"],
    `--regexp=${linePattern(search, `(?i:${escaped(wanted)})`)}`,
  ];
  let left = HITS_MAX;
  try {
    const output = ripgrep({ cwd, what: "./", args, hiddenNames: [], signal: stop.signal });
    for await (const line of linesOf(output)) {
      const hit = hitOf(line);
      if (hit === undefined) continue;
      yield hit;
      left -= 1;
      if (left === 0) return;
    }
  } finally {
    stop.abort();
  }
}

/** A text as a regular expression that matches it alone. */
const escaped = (text: string): string => text.replaceAll(/[\\^$.|?*+()[\]{}#&~-]/g, "\\$&");

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of chunks) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/** A path, NUL, the number of the record, and the excerpt as JSON has it. */
const HIT = /^(?:\.\/)?([^/\0]+)\/[^\0]*\0(\d+) (.*)$/;

function hitOf(line: string): SearchHit | undefined {
  const [, taskId, record, excerpt] = HIT.exec(line) ?? [];
  if (taskId === undefined || excerpt === undefined) return undefined;
  return searchHit(taskId, Number(record), excerpt);
}
