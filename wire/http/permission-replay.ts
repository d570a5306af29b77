import * as z from "zod";
import { permissionModeSchema, sessionRuleSchema } from "../permissions.ts";

// The replay of recorded tool calls under hypothetical permissions.

const count = z.int().nonnegative();
const { level } = sessionRuleSchema.shape;

/** A verdict. `because`: the rule with its origin that allows or denies, or the clause that says why a person is asked. */
const judgedSchema = z.object({
  verdict: level,
  because: z.string().exactOptional(),
});

/** A call whose verdict changes. */
const changeSchema = z.object({
  taskId: z.string(),
  callId: z.string(),
  /** The number of the record with its first decision. */
  record: count,
  tool: z.string(),
  /** Its command line, its first path, or its first short argument. Empty: it has none. */
  target: z.string(),
  recorded: judgedSchema,
  now: judgedSchema,
  /** `permissions`: the hypothetical permissions change it. `settings`: the settings of today change it without them. */
  cause: z.enum(["permissions", "settings"]),
});

/** The numbers of calls by their recorded verdict and the verdict now. */
const countsSchema = z.object({
  askToAllow: count,
  askToDeny: count,
  allowToAsk: count,
  allowToDeny: count,
  denyToAsk: count,
  denyToAllow: count,
});

const summarySchema = z.object({
  /** The calls that could be judged again, and how many of them were asked about then. */
  calls: count,
  asks: count,
  permissions: countsSchema,
  settings: countsSchema,
  /** The calls that could not be judged again, by the reason. */
  unjudged: z.array(z.object({ reason: z.string(), count })),
});

/** The grounds of a verdict: the opinion of each judge, and the rules that are about the call. */
const groundsSchema = z.object({
  callId: z.string(),
  recorded: judgedSchema,
  now: judgedSchema,
  judges: z.array(
    z.object({ judge: z.string(), level: z.string().nullable(), because: z.string().nullable() }),
  ),
  matches: z.array(
    z.object({
      level,
      rule: z.string(),
      origin: z.string(),
      matches: z.enum(["yes", "part", "maybe"]),
    }),
  ),
});

/** The body of POST /api/permissions/replay. */
export const replaySchema = z
  .strictObject({
    /** Default: all recorded tasks of the workspace. */
    taskId: z.string().exactOptional(),
    /** A call of the task whose grounds are wanted: no other call is judged. */
    callId: z.string().exactOptional(),
    /** Default: the workspace of the server. */
    workspace: z.string().exactOptional(),
    /** The permission mode. Default: the one that each call was decided under. */
    mode: permissionModeSchema.exactOptional(),
    /** Rules that are added to the session of each task. */
    allow: z.array(z.string()).max(50).exactOptional(),
    deny: z.array(z.string()).max(50).exactOptional(),
  })
  .refine(
    ({ taskId, callId }) => callId === undefined || taskId !== undefined,
    "expected a taskId with a callId",
  );

/** The body of the response. */
export const replayedSchema = z.object({
  tasks: count,
  summary: summarySchema,
  changes: z.array(changeSchema),
  /** The number of changes that are not listed. */
  more: count,
  /** Tasks whose journals can't be read, and why. */
  skipped: z.array(z.object({ taskId: z.string(), reason: z.string() })),
  grounds: groundsSchema.exactOptional(),
});

export type JudgedCallVerdict = z.output<typeof judgedSchema>;
export type ReplayChange = z.output<typeof changeSchema>;
export type ReplayCounts = z.output<typeof countsSchema>;
export type ReplaySummary = z.output<typeof summarySchema>;
export type ReplayGrounds = z.output<typeof groundsSchema>;
export type ReplayBody = z.output<typeof replaySchema>;
export type Replayed = z.output<typeof replayedSchema>;
