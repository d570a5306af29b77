import { existsSync } from "node:fs";
import { ripgrep } from "../../adapters/workspace/ripgrep.ts";
import { tasksFolder } from "../../store/files/data-folder.ts";
import { JOURNAL } from "../../store/task-history/task-folder.ts";
import type { SearchHit } from "../../wire/http/search.ts";

/** A search in the recorded tasks. One of the two is given. */
export interface TaskSearch {
  /** A text in any message, entry or event. Upper and lower case are the same. */
  readonly text?: string;
  /** The name of a tool that was called. */
  readonly tool?: string;
}

/** The most records that are found in one task, and in all. */
const TASK_HITS_MAX = 5;
const HITS_MAX = 2_000;

/** Characters of an excerpt before and after the text. */
const BEFORE = 60;
const AFTER = 120;

/**
 * The records of all tasks that contain a text, as they are found; at most 5 of each task, and 2,000 in all. Journals are
 * searched as they are on disk, also while another process writes them.
 */
export async function* searchTasks(
  dataDir: string,
  { text, tool }: TaskSearch,
): AsyncGenerator<SearchHit, void> {
  const cwd = tasksFolder(dataDir);
  const wanted = tool === undefined ? inJson(text ?? "") : `"name":${JSON.stringify(tool)}`;
  if (wanted === "" || !existsSync(cwd)) return;
  const stop = new AbortController();
  const around = tool === undefined ? IN_STRING : ".";
  const args = [
    ...["--only-matching", "--no-heading", "--no-line-number", "--with-filename", "--no-ignore", "--text"],
    ...[`--max-count=${TASK_HITS_MAX}`, `--glob=*/${JOURNAL}`, "--replace=$seq $excerpt"],
    `--regexp=^\\{"crc":"\\w+","seq":(?P<seq>\\d+),.*?(?P<excerpt>${around}{0,${BEFORE}}(?i:${escaped(wanted)})${around}{0,${AFTER}})`,
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

/** A character of a string in JSON: the excerpt ends with the string. */
const IN_STRING = '(?:[^"\\\\]|\\\\.)';

/** A text as a journal has it in its strings. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

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
  const plain = excerpt.replaceAll(/\\(["\\/nrt])/g, (_, sign: string) => (/\w/.test(sign) ? " " : sign));
  return { taskId, record: Number(record), excerpt: plain };
}
