import * as z from "zod";

// The replay of a recorded task under another control protocol.

const count = z.int().nonnegative();
const share = z.number().min(0).max(1);

/** The body of POST /api/control/replay. `signalbox control replay` has the same defaults. */
export const controlReplaySchema = z.strictObject({
  taskId: z.string(),
  /** The name of a shipped protocol. */
  protocol: z.string(),
  /** The score over which an action is suspicious. Default 0.5. */
  threshold: share.exactOptional(),
  /** The audit budget. Default 1. */
  audits: count.exactOptional(),
  /** The score of a monitor without a recorded one. Default 1. */
  score: share.exactOptional(),
  /** The seed of the drawn numbers. Default 0. */
  seed: z.int().exactOptional(),
});

/** A response, a call or a result whose verdict differs. */
const changeSchema = z.object({
  taskId: z.string(),
  /** The number of its record. */
  record: count,
  point: z.enum(["response", "call", "result"]),
  /** Absent at a response. */
  callId: z.string().exactOptional(),
  tool: z.string().exactOptional(),
  scores: z.record(z.string(), share),
  /** The kind of the recorded verdict. Absent: no protocol judged, so it passed. */
  recorded: z.string().exactOptional(),
  /** The kind of the verdict of the protocol. */
  now: z.string(),
  /** The reason that the model would get. */
  reason: z.string().exactOptional(),
  /** Whether an earlier verdict would have changed the course: the journal shows what happened without it. */
  isAfterChange: z.boolean(),
});

/** The body of the response. */
export const controlReplayedSchema = z.object({
  /** The points at which the protocol decides. */
  decisions: count,
  /** How many of them have a score that is not recorded. */
  withoutScores: count,
  changes: z.array(changeSchema),
  /** The number of changes that are not listed. */
  more: count,
});

/** The names of the shipped protocols. */
export const protocolsSchema = z.object({ protocols: z.array(z.string()) });

export type ControlReplayBody = z.output<typeof controlReplaySchema>;
export type ControlReplayChange = z.output<typeof changeSchema>;
export type ControlReplayed = z.output<typeof controlReplayedSchema>;
