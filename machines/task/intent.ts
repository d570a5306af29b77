import { textBlock } from "../conversation/blocks.ts";
import { intentSelected } from "../conversation/notices.ts";
import type { CallIn } from "../tool-call/call.ts";
import type { TaskIntent } from "../tool-call/intent.ts";
import type { Change } from "./change.ts";
import { resetMistakes } from "./counters.ts";
import { revisePermissions } from "./permissions.ts";
import type { TaskContext, TaskInput } from "./task.context.ts";
import { moveCall } from "./turn.ts";

/** The intent of a task at first. Null: its workspace has none. */
export const intentOf = ({ intent }: TaskInput): TaskIntent | null => intent ?? null;

/** The intent as a fact of a commit. It is recorded only in a workspace with intents. */
export const intentFact = ({ intent }: TaskContext): Pick<Partial<TaskContext>, "intent"> =>
  intent === null ? {} : { intent };

/** The intent of a task, for its actors. */
export const actorIntent = ({ intent }: TaskContext): { readonly intent?: TaskIntent } =>
  intent === null ? {} : { intent };

/** Applies a call that selects an intent. Every call that has not started is judged by it. */
export function selectIntent(change: Change, call: CallIn<"approved">, id: string): void {
  change.set({ intent: { stage: "selected", id } });
  revisePermissions(change);
  const content = [textBlock(intentSelected(id))];
  moveCall(change, call, { type: "settled", outcome: { kind: "done", content } });
  resetMistakes(change);
}
