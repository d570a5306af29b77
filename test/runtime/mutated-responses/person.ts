import type { Ask } from "../../../runtime/task/ask.ts";
import type { Task } from "../../../runtime/task/task.ts";
import type { Random } from "../../../verify/simulation/random.ts";

/** What a person does unasked. */
const INTERJECTIONS: readonly ((task: Task) => unknown)[] = [
  (task) => task.cancel(),
  (task) => task.queue("And the docs 📚."),
  (task) => task.switchMode("architect"),
];

export function interject(task: Task, random: Random): void {
  random.pick(INTERJECTIONS)?.(task);
}

/** Answer an ask as the numbers decide. Each answer leads on. */
export function answer(ask: Ask, random: Random): void {
  const feedback = random.chance(0.3) ? { text: "Bigger, please 🔍." } : {};
  const often = random.chance(0.7);
  switch (ask.kind) {
    case "question":
      ask.answer("L");
      return;
    case "command_output":
    case "limit":
      ask.approve();
      return;
    case "mistakes":
      if (often) ask.answer("Use the tool.");
      else if (random.chance(0.5)) ask.approve();
      else ask.reject();
      return;
    case "completion":
      if (often) ask.answer("Go on.");
      else if (random.chance(0.5)) ask.approve();
      else ask.reject();
      return;
    case "failure":
      if (often) ask.approve(feedback);
      else ask.reject();
      return;
    case "resume":
      ask.approve(feedback);
      return;
    case "resume_completed":
      ask.answer("Go on.");
      return;
    default:
      if (often) ask.approve(feedback);
      else ask.reject(feedback);
  }
}
