import type { CheckedTask } from "./history.ts";
import { type CheckedRecord, parseLine } from "./record.ts";

/** The lines of a task's journal. */
export interface Journal {
  readonly task: CheckedTask;
  readonly records: readonly CheckedRecord[];
  /** The records as the journal has them. */
  readonly json: readonly unknown[];
  /** The reasons why a line can't be read. */
  readonly unreadable: readonly string[];
  readonly parent: CheckedRecord["parent"];
}

export function readJournal(task: CheckedTask): Journal {
  const lines = task.rows.filter(({ content }) => content !== "").map(({ content }) => parseLine(content));
  const parsed = lines.flatMap((line) => (line.ok ? [line] : []));
  return {
    task,
    records: parsed.map(({ record }) => record),
    json: parsed.map(({ json }) => json),
    unreadable: lines.flatMap((line) => (line.ok ? [] : [line.reason])),
    parent: parsed[0]?.record.parent,
  };
}

/** The result that a task completed with last. */
export const resultOf = (records: readonly CheckedRecord[]): string | undefined =>
  records.findLast(({ facts }) => facts?.result !== undefined)?.facts?.result;

/** The calls of the tool in some journals that began, and those that succeeded, by their lines. */
export function effectsIn(journals: readonly Journal[]): {
  readonly started: ReadonlySet<string>;
  readonly done: ReadonlySet<string>;
} {
  const started = new Set<string>();
  const done = new Set<string>();
  for (const { records } of journals) {
    const lineOf = new Map(toolUsesIn(records));
    for (const { name, toolUseId, phase, outcome } of records.flatMap(({ calls }) => calls)) {
      if (name !== "effect") continue;
      const line = lineOf.get(toolUseId) ?? "";
      if (phase === "running") started.add(line);
      if (outcome?.kind === "done") done.add(line);
    }
  }
  return { started, done };
}

/** The line of each call of the tool, by the id that the model gave it. */
function* toolUsesIn(records: readonly CheckedRecord[]): Generator<[string, string]> {
  for (const { conversation } of records)
    for (const { entry, content = entry?.content ?? [] } of conversation)
      for (const { id, input } of content)
        if (id !== undefined && typeof input?.line === "string") yield [id, input.line];
}
