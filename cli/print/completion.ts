import { printable } from "../../client/printable/printable.ts";
import { JsonEventEmitter } from "../../client/roo/ndjson/json-event-emitter.ts";
import { resultOf } from "../../machines/message/result.ts";
import type { RecordedTask } from "../../store/task-history/recorded-task.ts";
import { EXIT } from "../error.ts";
import type { Io } from "../io.ts";
import type { RunSettings } from "../run/settings.ts";

/** Print the result of a completed task, like the run that completed it. */
export async function printCompletion(
  { id: taskId, rows, total }: RecordedTask,
  front: RunSettings["outputMode"],
  io: Io,
): Promise<number> {
  const content = resultOf(rows.map(({ row }) => row)) ?? "";
  if (front === "json" || front === "stream-json") {
    const emitter = new JsonEventEmitter({ mode: front, stdout: io.stdout, capabilities: [] });
    emitter.emitResult({ taskId, content, usage: total });
    await emitter.flushed();
  } else {
    io.stdout.write(`[task complete] ${printable(content)}\n`);
    io.stderr.write(`Task ${taskId} is complete. Pass a prompt to continue it.\n`);
  }
  return EXIT.done;
}
