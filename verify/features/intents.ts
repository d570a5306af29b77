import type { TaskContext } from "../../machines/task/task.context.ts";
import type { Feature } from "./feature.ts";

/** Calls belong to an intent. The findings about it are parts of their reviews. */
export const intents: Feature = {
  name: "intents",
  parts: { intent: ({ view: { context } }) => intentOf(context) },
};

/** The stage that the next calls depend on, and the findings about the calls. */
const intentOf = ({ intent, turn }: TaskContext) =>
  intent === null
    ? 0
    : [
        intent.stage,
        turn.calls.map((call) =>
          "review" in call ? [call.review.selectsIntent !== undefined, call.review.intent?.kind ?? 0] : 0,
        ),
      ];
