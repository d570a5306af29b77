import type { CheckedRun, RunSize } from "./chaos-run.ts";
import type { History } from "./checker/history.ts";

const isAccepted = ({ outcome }: History["requests"][number]): boolean => outcome === "accepted";
const isAnswer = ({ command }: Pick<History["commands"][number], "command">): boolean =>
  command.kind === "answer";

const KIND = '"kind":"commit"';

/** Format the figures of a run and what the checker found. */
export function formatReport(
  { seed, tasks, workers, servers, seconds }: RunSize,
  { history, figures, violations }: CheckedRun,
): string {
  const lines = history.tasks.flatMap(({ rows }) => rows.map(({ content }) => content));
  const count = (text: string): number => lines.filter((line) => line.includes(text)).length;
  const rows: readonly (readonly [string, string | number])[] = [
    ["tasks, workers, servers", `${tasks}, ${workers}, ${servers}`],
    ["time of the faults", `${seconds} s`],
    ...Object.entries(figures.faults).sort(([one], [other]) => (one < other ? -1 : 1)),
    ...figures.skipped.map((name) => [name, "skipped"] as const),
    ["starts of worker processes", figures.starts.workers ?? 0],
    ["starts of server processes", figures.starts.servers ?? 0],
    ["commits of the tasks", count(KIND)],
    ["changes of an owner", lines.filter((line) => line === "").length],
    ["continuations of interrupted tasks", count('"cause":{"type":"task.recovered"')],
    ["rests because a journal failed", count('"cause":{"type":"journal.failed"')],
    ["effects", history.effects.length],
    ["subtasks", history.tasks.filter(({ kind }) => kind === "subtask").length],
    ["commands accepted", history.commands.length],
    ["requests that servers accepted", history.requests.filter(isAccepted).length],
    ["requests without an answer", history.requests.filter(({ outcome }) => outcome === "unknown").length],
    ["answers to questions", [...history.commands, ...history.requests].filter(isAnswer).length],
    ["events seen by clients", history.events.length],
    ["connections of clients", figures.connections],
    ["tasks that a person had to wake again", figures.parked],
    [
      "time from the last fault until all tasks had ended",
      figures.working.length === 0 ? `${figures.healedSeconds} s` : `${figures.working.join(", ")} had not`,
    ],
    ["violations", violations.length],
  ];
  const found = violations.map(({ rule, task, reason }) => `${rule}: ${task}: ${reason}`);
  return [`Seed ${seed}.`, "", "|what|figure|", "|-|-|", ...rows.map(([name, value]) => `|${name}|${value}|`)]
    .concat(found.length > 0 ? ["", ...found] : [])
    .join("\n");
}
