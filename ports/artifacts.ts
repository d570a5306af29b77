import type { Artifact } from "../machines/conversation/artifacts.ts";

/** The tool results of a task's conversation. */
export interface Artifacts {
  /** Returns the result of the call with this id; undefined if the conversation has none. */
  read(id: string): Artifact | undefined;
}
