import type { Artifact } from "../machines/conversation/artifacts.ts";

/** The full output of a command. */
export interface KeptOutput {
  readonly bytes: number;
  /** Read it from a byte on. */
  read(from: number): AsyncIterable<Uint8Array>;
}

/** The tool results of a task's conversation, and the outputs of its commands. */
export interface Artifacts {
  /** Returns the result of the call with this id; undefined if the conversation has none. */
  read(id: string): Artifact | undefined;
  /** Returns the full output with this id; undefined if there is none. Absent: outputs are in files. */
  output?(id: string): Promise<KeptOutput | undefined>;
}
