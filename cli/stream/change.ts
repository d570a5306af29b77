import type { Task } from "../../runtime/index.ts";
import type { StdinCommandOf } from "../../wire/index.ts";
import { wordsOf } from "../error.ts";
import type { Replies } from "./replies.ts";

/** Changes the mode of a task, or words that wait in its queue, and tells what became of it. */
export function change(command: StdinCommandOf<"mode" | "edit">, task: Task, replies: Replies): void {
  try {
    const refusal = command.command === "mode" ? switchMode(command, task) : edit(command, task);
    if (refusal !== undefined) {
      replies.error(command, refusal.code.toLowerCase(), refusal.message);
      return;
    }
    replies.ack(command, `${command.command} accepted`, task.id);
    const [code, said] =
      command.command === "mode" ? ["switched", "mode switched"] : ["edited", "message edited"];
    replies.done(command, code, said);
  } catch (error) {
    replies.error(command, `${command.command}_refused`, wordsOf(error));
  }
}

function switchMode({ mode }: StdinCommandOf<"mode">, task: Task) {
  const result = task.switchMode(mode);
  return result.switched ? undefined : result;
}

function edit({ id, prompt, images }: StdinCommandOf<"edit">, task: Task) {
  const result = task.editQueued(id, prompt, images);
  return result.edited ? undefined : result;
}
