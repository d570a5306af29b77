import { applyEffectResult, applyParts } from "../../machines/task/commit.ts";
import type { RecordedState } from "../../machines/task/task.context.ts";
import type { JournalRecord } from "./record.ts";

/** The recorded state of a task after one more record of its journal (L11). */
export function applyRecord(state: RecordedState, record: JournalRecord): RecordedState {
  switch (record.kind) {
    case "header":
    case "version":
      return state;
    case "effect.end":
      return applyEffectResult(state, record);
    case "commit":
      return applyParts(state, record);
  }
}
