import type { RecordedTask } from "../../actors/index.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { RunSettings } from "../run/index.ts";
import { printable } from "../show/index.ts";
import { costOf, printedEvents } from "./events.ts";

/** Says that a task is complete, as a run that has just come there would. */
export function sayComplete({ id, rows, total }: RecordedTask, front: RunSettings["front"], io: Io): number {
  const log = rows.map(({ row }) => row);
  const content = log.findLast(({ say }) => say === "completion_result")?.text ?? "";
  if (front === "text") {
    io.stdout.write(`[task complete] ${printable(content)}\n`);
    io.stderr.write(`Task ${id} is complete. Give a prompt to go on with it.\n`);
  } else if (front === "stream-json") {
    const result = { type: "result", content, success: true, done: true, taskId: id, cost: costOf(total) };
    io.stdout.write(`${JSON.stringify(result)}\n`);
  } else {
    const result = {
      type: "result",
      success: true,
      content,
      taskId: id,
      cost: costOf(total),
      events: printedEvents(log),
    };
    io.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
  }
  return EXIT.done;
}
