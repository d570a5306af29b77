import { fromCallback } from "xstate";
import type { EdgeLogic } from "../../machines/task/index.ts";

/** Actors that send nothing: the test sends their events. */
export const silentActors: {
  opening: EdgeLogic<"opening">;
  context: EdgeLogic<"context">;
  condense: EdgeLogic<"condense">;
  llm: EdgeLogic<"llm">;
  review: EdgeLogic<"review">;
  tool: EdgeLogic<"tool">;
  ask: EdgeLogic<"ask">;
  timer: EdgeLogic<"timer">;
  checkpoint: EdgeLogic<"checkpoint">;
  subtask: EdgeLogic<"subtask">;
  hook: EdgeLogic<"hook">;
} = {
  opening: fromCallback(() => {}),
  context: fromCallback(() => {}),
  condense: fromCallback(() => {}),
  llm: fromCallback(() => {}),
  review: fromCallback(() => {}),
  tool: fromCallback(() => {}),
  ask: fromCallback(() => {}),
  timer: fromCallback(() => {}),
  checkpoint: fromCallback(() => {}),
  subtask: fromCallback(() => {}),
  hook: fromCallback(() => {}),
};
