import { z } from "zod";
import { type AskType, isAskType } from "../../machines/message/index.ts";
import type { EffectEvent, QueuedMessage, ReportEvent } from "../../machines/task/index.ts";
import type { Decision } from "../../machines/tool-call/index.ts";
import { contentSchema, conversationEventSchema } from "../entry.ts";
import { logEventSchema } from "../message.ts";

/** The version of the journal's format that this code writes. */
export const JOURNAL_VERSION = 1;

const seq = z.int().nonnegative();
const at = z.number();

/** The first record of every journal: whose it is. `createdAt` in milliseconds since 1970. */
const headerSchema = z.object({
  seq: z.literal(0),
  kind: z.literal("header"),
  version: z.int().positive(),
  taskId: z.string(),
  createdAt: z.number(),
  workspace: z.string().exactOptional(),
  title: z.string().exactOptional(),
});

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** What brought a commit about: the event's type, ids and small facts, without its bulk. */
const causeSchema = z
  .object({ type: z.string(), at })
  .catchall(z.union([scalar, z.record(z.string(), scalar)]));

const decisionSchema = z.object({
  callId: z.string(),
  digest: z.string(),
  by: z.union([z.object({ person: z.literal(true) }), z.object({ rule: z.string() })]),
  at,
}) satisfies z.ZodType<Decision>;

const queuedSchema = z.object({
  id: z.string(),
  text: z.string(),
  images: z.array(z.string()),
}) satisfies z.ZodType<QueuedMessage>;

const effectSchema = z.object({
  type: z.enum(["effect.started", "effect.stopped"]),
  effect: z.enum(["llm", "tool", "review", "ask", "timer", "context", "opening"]),
  id: z.string(),
}) satisfies z.ZodType<EffectEvent>;

const usageSchema = z.object({
  tokensIn: z.number(),
  tokensOut: z.number(),
  cacheWrites: z.number(),
  cacheReads: z.number(),
  cost: z.number(),
});

const reportSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("task.rested"),
    taskId: z.string(),
    ask: z.custom<AskType>(isAskType, "expected an ask of a known kind"),
  }),
  z.object({
    type: z.literal("task.completed"),
    taskId: z.string(),
    result: z.string(),
    usage: usageSchema,
  }),
]) satisfies z.ZodType<ReportEvent>;

/** What one macrostep decided. A list that would be empty is left out. */
const commitSchema = z.object({
  seq,
  kind: z.literal("commit"),
  /** When its cause happened: milliseconds since 1970. */
  at,
  cause: causeSchema.exactOptional(),
  before: z.string(),
  after: z.string(),
  log: z.array(logEventSchema).default([]),
  conversation: z.array(conversationEventSchema).default([]),
  decisions: z.array(decisionSchema).default([]),
  queue: z.array(queuedSchema).exactOptional(),
  effects: z.array(effectSchema).default([]),
  reports: z.array(reportSchema).default([]),
});

/** How an effect ended, written by its runner, also after a cancel (L10, L12). */
const effectEndSchema = z.object({
  seq,
  kind: z.literal("effect.end"),
  at,
  callId: z.string(),
  content: z.union([contentSchema, z.literal("uncertain")]),
});

/** One record of a task's journal. */
export const journalRecordSchema = z.discriminatedUnion("kind", [
  headerSchema,
  commitSchema,
  effectEndSchema,
]);

export type JournalRecord = z.output<typeof journalRecordSchema>;
export type HeaderRecord = z.output<typeof headerSchema>;
export type CommitRecord = z.output<typeof commitSchema>;
export type EffectEndRecord = z.output<typeof effectEndSchema>;
export type RecordedCause = z.output<typeof causeSchema>;
