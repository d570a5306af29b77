import { cpSync } from "node:fs";
import { fileJournal, readJournal } from "../../store/index.ts";
import type { TraceEvent } from "../../visualize/trace/index.ts";
import { Tracer } from "../../visualize/trace/tracer.ts";
import { completes, openSubtaskRig, scriptByMode, subtask } from "../support/subtasks.ts";

const COMMAND = '{ tool: execute_command, input: { command: "exit 3" } }';
const REFUSED = "{ status: 401 }";

/**
 * The responses of three nested tasks: the innermost runs a command that exits with 3, then its request is refused. So is
 * the next request of the task above it. The root completes.
 */
export const FAILING_SCRIPT = scriptByMode(
  { mode: "code", after: "new_task", turn: completes("All done.") },
  { mode: "code", turn: subtask("one") },
  { mode: "one", after: "new_task", turn: REFUSED },
  { mode: "one", turn: subtask("two") },
  { mode: "two", after: "execute_command", turn: REFUSED },
  { mode: "two", turn: COMMAND },
);

/** The traces of three real tasks: the root, its subtask, and the subtask of its subtask. */
export interface NestedTraces {
  readonly ids: readonly [root: string, child: string, grandchild: string];
  readonly traces: readonly (readonly TraceEvent[])[];
}

/**
 * Run three nested tasks, reject to retry the failed requests, and read their journals. `copy`: a folder that gets a copy
 * of the data directory.
 */
export async function recordNested(copy?: string): Promise<NestedTraces> {
  await using rig = await openSubtaskRig(FAILING_SCRIPT, { completion: "tool" });
  const { host, task } = rig;
  host.opened$.subscribe(({ asks$ }) =>
    asks$.subscribe((ask) => {
      if (ask.kind === "failure") ask.reject();
    }),
  );
  await task.run("Do it");
  if (copy !== undefined) cpSync(rig.dataDir, copy, { recursive: true });
  const ids = [task.id, `${task.id}.1`, `${task.id}.1.1`] as const;
  return { ids, traces: await Promise.all(ids.map((each) => traceOf(rig.dataDir, each))) };
}

async function traceOf(dataDir: string, id: string): Promise<readonly TraceEvent[]> {
  const tracer = new Tracer(id);
  const events: TraceEvent[] = [];
  const driver = fileJournal({ dir: `${dataDir}/tasks/${id}` });
  for await (const record of readJournal(driver, { onTail: () => {} })) events.push(tracer.add(record));
  return events;
}
