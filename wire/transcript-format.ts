import * as z from "zod";

/** The format of a session of another agent, which a journal was made from. */
export const transcriptFormatSchema = z.object({
  /** Its name for people: `Claude Code`. */
  name: z.string(),
  /** The version that the session names: of the agent, or of the format. */
  version: z.string().exactOptional(),
});

/** The format of a session of another agent. */
export interface TranscriptFormat {
  readonly name: string;
  readonly version?: string;
}
