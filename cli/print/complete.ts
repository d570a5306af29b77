import { JsonEventEmitter } from "../../client/index.ts";
import type { RecordedTask } from "../../store/index.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { RunSettings } from "../run/index.ts";
import { printable } from "../show/index.ts";

/** Says that a task is complete, as a run that has just come there would. */
export async function sayComplete(
  { id: taskId, rows, total }: RecordedTask,
  front: RunSettings["front"],
  io: Io,
): Promise<number> {
  const content = rows.findLast(({ row }) => row.say === "completion_result")?.row.text ?? "";
  if (front === "json" || front === "stream-json") {
    const emitter = new JsonEventEmitter({ mode: front, stdout: io.stdout, capabilities: [] });
    emitter.emitResult({ taskId, content, usage: total });
    await emitter.flushed();
  } else {
    io.stdout.write(`[task complete] ${printable(content)}\n`);
    io.stderr.write(`Task ${taskId} is complete. Give a prompt to go on with it.\n`);
  }
  return EXIT.done;
}
