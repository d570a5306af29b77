import { z } from "zod";
import { holdWaiting, readText, takeInput, takeTurns } from "./costs.ts";
import { cancelUnresponsive, surviveInInput, surviveInText } from "./faults.ts";
import type { Outcome } from "./outcome.ts";
import type { Agents } from "./peer.ts";
import type { Place } from "./tools.ts";

/** What a child process is to do with its agents. */
export const Work = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), deltas: z.number() }),
  z.object({ kind: z.literal("turns"), turns: z.number() }),
  z.object({ kind: z.literal("toolInput"), bytes: z.number() }),
  z.object({ kind: z.literal("waiting"), agents: z.number(), warm: z.number() }),
  z.object({ kind: z.literal("textFault"), deltas: z.number() }),
  z.object({ kind: z.literal("toolFault") }),
  z.object({ kind: z.literal("unresponsive"), limitMs: z.number() }),
]);
export type Work = z.infer<typeof Work>;
type Kind = Work["kind"];
/** The work of this kind. */
export type WorkOf<K extends Kind> = Extract<Work, { kind: K }>;

/** Run this work, and check the result. @throws Error if the result is wrong */
export async function perform(agents: Agents, work: Work, place: Place): Promise<Outcome> {
  switch (work.kind) {
    case "text":
      return readText(agents, work, place);
    case "turns":
      return takeTurns(agents, work, place);
    case "toolInput":
      return takeInput(agents, work, place);
    case "waiting":
      return holdWaiting(agents, work, place);
    case "textFault":
      return surviveInText(agents, work, place);
    case "toolFault":
      return surviveInInput(agents, place);
    case "unresponsive":
      return cancelUnresponsive(agents, work, place);
  }
}
