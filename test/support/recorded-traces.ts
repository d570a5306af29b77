import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { lastValueFrom, toArray } from "rxjs";
import { fileJournal, type JournalDriver, readJournal } from "../../store/index.ts";
import { allowEverything, builtinTools } from "../../tools/index.ts";
import { type LiveTraceOptions, liveTrace, type TraceEvent } from "../../visualize/trace/index.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import { DONE, openRig, type Rig } from "./host.ts";
import { deferred } from "./model.ts";
import { waitingTool } from "./waiting-tool.ts";

export async function recordsOf(driver: Pick<JournalDriver, "path" | "read">): Promise<JournalRecord[]> {
  const records: JournalRecord[] = [];
  for await (const record of readJournal(driver, { onTail: () => {} })) records.push(record);
  return records;
}

/** The records of each journal under test/fixtures, by its name. */
export async function fixtureJournals(): Promise<readonly (readonly [string, readonly JournalRecord[]])[]> {
  const dir = fileURLToPath(new URL("../fixtures/journals/", import.meta.url));
  const names = (await readdir(dir, { recursive: true })).filter((name) => name.endsWith(".jsonl")).sort();
  return Promise.all(
    names.map(async (name) => {
      const file = path.join(dir, name);
      return [name, await recordsOf({ path: file, read: () => createReadStream(file) })] as const;
    }),
  );
}

/** The journal of a rig's task. */
export const journalOf = ({ dataDir, task }: Rig): JournalDriver =>
  fileJournal({ dir: path.join(dataDir, "tasks", task.id) });

/** A task that streams, reads, writes, is cancelled while a tool runs, is resumed and completes. */
export interface RecordedTask {
  readonly records: readonly JournalRecord[];
  readonly live: readonly TraceEvent[];
}

export async function liveTask(options: Omit<LiveTraceOptions, "records"> = {}): Promise<RecordedTask> {
  const begun = deferred();
  const waiting = waitingTool(() => begun.resolve());
  const rig = await openRig({
    script: `rules:
      - { when: { user: go on }, turns: [${DONE}] }
      - turns:
          - [{ text: I look first. Then I know what there is to write. }, { tool: read_file, input: { path: a.txt } }]
          - [{ text: Now I write. }, { tool: write_to_file, input: { path: b.txt, content: two } }]
          - { tool: wait, input: {} }`,
    files: { "a.txt": "one\n" },
    tools: [...builtinTools(), waiting],
    policy: allowEverything(),
  });
  const driver = journalOf(rig);
  let live: Promise<TraceEvent[]>;
  try {
    live = lastValueFrom(
      liveTrace(rig.task, { ...options, records: () => readJournal(driver, { onTail: () => {} }) }).pipe(
        toArray(),
      ),
    );
    const first = rig.task.run("Look and write");
    await begun.promise;
    rig.task.cancel();
    await first;
    await rig.task.run("go on");
    await rig.task.flushed();
    await rig.task.close();
    return { records: await recordsOf(driver), live: await live };
  } finally {
    await rig[Symbol.asyncDispose]();
  }
}

/** Senders that are not started by a commit. */
const UNSTARTED: ReadonlySet<string> = new Set(["user", "journal", "task"]);

/** The newest event before this one that started its sender. */
export function startOf(events: readonly TraceEvent[], { seq, from }: TraceEvent): number | undefined {
  if (UNSTARTED.has(from)) return undefined;
  return events.findLast(
    (event) =>
      event.seq < seq &&
      event.record.kind === "commit" &&
      event.record.effects.some(({ type, id }) => type === "effect.started" && id === from),
  )?.seq;
}
