import * as z from "zod";
import type { IsolatedFiles } from "../../machines/conversation/isolated-files.ts";
import { type AskType, isAskType } from "../../machines/message/asks.ts";
import type { CommitParts } from "../../machines/task/commit.ts";
import { EFFECT_KINDS } from "../../machines/task/effect-kinds.ts";
import type { QueueDelivery } from "../../machines/task/task.context.ts";
import type {
  BackgroundSubtask,
  Completion,
  DurableFacts,
  EffectEvent,
  EffectResult,
  ModelRef,
  QueuedMessage,
  ReportEvent,
} from "../../machines/task/task.events.ts";
import type {
  CallAsk,
  Decision,
  Outcome,
  RecordedCall,
  StartFacts,
  SubtaskOutcome,
} from "../../machines/tool-call/call.ts";
import type { ControlRecord, Json } from "../../machines/tool-call/control.ts";
import type { FileWrite } from "../../machines/tool-call/file-write.ts";
import type { Grant } from "../../machines/tool-call/grant.ts";
import type { Restriction } from "../../machines/tool-call/restriction.ts";
import { contentSchema, conversationEventSchema, userBlockSchema } from "../entry.ts";
import { logEventSchema } from "../log-event.ts";
import { permissionChangeSchema, permissionModeSchema, sessionRuleSchema } from "../permissions.ts";
import { type TranscriptFormat, transcriptFormatSchema } from "../transcript-format.ts";

/** A text in place of the role of the mode, or in place of the whole system prompt. */
export type SystemPrompt = string | { readonly only: string };

/** The task of a journal. */
export interface JournalHeader {
  readonly taskId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly workspace?: string;
  /** `false`: the task has no workspace. */
  readonly hasWorkspace?: false;
  readonly systemPrompt?: SystemPrompt;
  readonly title?: string;
  /** The parent of a subtask, its root, and the parent's tool call that started it (L16). */
  readonly parent?: { readonly taskId: string; readonly rootId: string; readonly callId: string };
  /** The original task of a fork, and the last record that both share. */
  readonly forkedFrom?: { readonly taskId: string; readonly seq: number };
  /** The condition that completes a subtask, or a fork of one. */
  readonly completion?: Completion;
  /** The time when queued messages of a subtask, or of a fork of one, are delivered. */
  readonly queueDelivery?: QueueDelivery;
  /** The restrictions of a subtask, or of a fork of one: the one of its root's call first (law GRANT). */
  readonly restrictions?: readonly Restriction[];
  /** The JSON Schema that the result of a subtask, or of a fork of one, must match. */
  readonly resultSchema?: Readonly<Record<string, unknown>>;
  /** The records were made from a session of another agent: their states are derived from its messages. */
  readonly transcript?: TranscriptFormat;
}

/** The completion and the queue delivery of a subtask. Its parent needs them, whatever the options of the host are. */
export const SUBTASK_RULES = { completion: "tool", queueDelivery: "all" } as const;

/** The parts of a header that a parent decides for its subtask. */
type RecordedRules = Pick<
  JournalHeader,
  "completion" | "queueDelivery" | "title" | "restrictions" | "resultSchema"
>;

/**
 * The rules of a task, by its header or by the options that the header is written from. A subtask has a completion and a
 * delivery, even if an earlier version wrote the header.
 */
export const recordedRules = ({
  parent,
  completion,
  queueDelivery,
  title,
  restrictions,
  resultSchema,
}: Pick<JournalHeader, "parent"> & RecordedRules): RecordedRules => ({
  ...(parent !== undefined && SUBTASK_RULES),
  ...(completion !== undefined && { completion }),
  ...(queueDelivery !== undefined && { queueDelivery }),
  ...(title !== undefined && { title }),
  ...(restrictions !== undefined && { restrictions }),
  ...(resultSchema !== undefined && { resultSchema }),
});

/** The version of the journal's format that this code writes. */
export const JOURNAL_VERSION = 3;

/** A schema for each key of `T`. The compiler rejects a missing one: a key without a schema would be lost when it is read. */
type Schemas<T> = { readonly [K in keyof T]-?: z.ZodType<Required<T>[K]> };

const seq = z.int().nonnegative();
const at = z.number();

const version = z.int().positive();

const restrictionSchema = z.object({
  level: permissionModeSchema.exactOptional(),
  rules: z.array(z.object({ level: z.enum(["ask", "deny"]), rule: z.string() })).exactOptional(),
  tools: z.array(z.string()).exactOptional(),
} satisfies Schemas<Restriction>);

const headerSchema = z.object({
  seq: z.literal(0),
  kind: z.literal("header"),
  version,
  taskId: z.string(),
  createdAt: z.number(),
  workspace: z.string().exactOptional(),
  hasWorkspace: z.literal(false).exactOptional(),
  systemPrompt: z.union([z.string(), z.object({ only: z.string() })]).exactOptional(),
  title: z.string().exactOptional(),
  parent: z.object({ taskId: z.string(), rootId: z.string(), callId: z.string() }).exactOptional(),
  forkedFrom: z.object({ taskId: z.string(), seq }).exactOptional(),
  completion: z.enum(["end_turn", "tool"]).exactOptional(),
  queueDelivery: z.enum(["all", "one"]).exactOptional(),
  restrictions: z.array(restrictionSchema).exactOptional(),
  resultSchema: z.record(z.string(), z.unknown()).exactOptional(),
  transcript: transcriptFormatSchema.exactOptional(),
} satisfies Schemas<HeaderRecord>);

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** Cause of a commit: the event's type, ids and small fields. */
const causeSchema = z
  .object({ type: z.string(), at })
  .catchall(z.union([scalar, z.record(z.string(), scalar)]));

const decisionSchema = z.object({
  callId: z.string(),
  digest: z.string(),
  amendment: z.record(z.string(), z.unknown()).exactOptional(),
  input: z.record(z.string(), z.unknown()).exactOptional(),
  by: z.union([
    z.object({ person: z.literal(true), program: z.literal(true).exactOptional() }),
    z.object({ rule: z.string() }),
  ]),
  at,
} satisfies Schemas<Decision>);

const scores = z.record(z.string(), z.number());
const controlSchema = z.object({
  point: z.enum(["response", "call", "result"]),
  callId: z.string().exactOptional(),
  author: z.enum(["untrusted", "trusted"]),
  digest: z.string(),
  verdict: z.string(),
  scores,
  rationales: z.record(z.string(), z.string()).exactOptional(),
  audit: z.enum(["attack", "harmless"]).exactOptional(),
  error: z.string().exactOptional(),
  dollars: z.number().exactOptional(),
} satisfies Schemas<ControlRecord>);

const queuedSchema = z.object({
  id: z.string(),
  text: z.string(),
  images: z.array(z.string()),
} satisfies Schemas<QueuedMessage>);

const effectSchema = z.object({
  type: z.enum(["effect.started", "effect.stopped"]),
  effect: z.enum(EFFECT_KINDS),
  id: z.string(),
  profile: z.string().exactOptional(),
  mode: z.string().exactOptional(),
}) satisfies z.ZodType<EffectEvent>;

const usageSchema = z.object({
  tokensIn: z.number(),
  tokensOut: z.number(),
  cacheWrites: z.number(),
  cacheReads: z.number(),
  cost: z.number().nullable(),
});

const feedback = z.object({ text: z.string(), images: z.array(z.string()) }).exactOptional();

const identity = {
  callId: z.string(),
  toolUseId: z.string(),
  name: z.string(),
  ask: z.enum([
    "tool",
    "command",
    "use_mcp_server",
    "browser_action_launch",
    "followup",
    "completion_result",
  ]) satisfies z.ZodType<CallAsk>,
  row: z.number().exactOptional(),
  author: z.literal("trusted").exactOptional(),
};

const fileHash = z.string().nullable();
const lineRange = z.object({ start: z.int().positive(), count: z.int().nonnegative() });
export const fileWriteSchema = z.object({
  path: z.string(),
  before: fileHash,
  after: fileHash,
  lines: z.array(z.object({ before: lineRange, after: lineRange })).exactOptional(),
  git: z.object({ revision: z.string().nullable(), branch: z.string().nullable() }).exactOptional(),
} satisfies Schemas<FileWrite>);
const writesSchema = z.array(fileWriteSchema);

const outcomeSchema = z.object({
  kind: z.enum(["done", "failed", "invalid", "denied", "skipped", "interrupted", "uncertain"]),
  content: contentSchema,
  writes: writesSchema.exactOptional(),
  replacedBy: z.array(z.string()).exactOptional(),
  original: contentSchema.exactOptional(),
} satisfies Schemas<Outcome>);

const amount = z.number();
const grantSchema = z.object({
  requests: amount.exactOptional(),
  tasks: amount.exactOptional(),
  depth: amount.exactOptional(),
  cost: amount.exactOptional(),
} satisfies Schemas<Grant>);
const isolationSchema = z.enum(["worktree", "copy"]) satisfies z.ZodType<IsolatedFiles>;

const startFactsSchema = z.object({
  effect: z.enum(["reads", "writes", "executes", "delegates", "asks", "none"]),
  paths: z.array(z.string()).exactOptional(),
  command: z.string().exactOptional(),
  hosts: z.array(z.string()).exactOptional(),
  arguments: z.record(z.string(), z.array(z.string())).exactOptional(),
  notCompared: z.array(z.string()).exactOptional(),
} satisfies Schemas<StartFacts>);
const facts = startFactsSchema.exactOptional();

const callSchema = z.discriminatedUnion("phase", [
  z.object({ ...identity, phase: z.literal("asking") }),
  z.object({ ...identity, phase: z.enum(["running", "stopped"]), replayable: z.boolean(), feedback, facts }),
  z.object({
    ...identity,
    phase: z.literal("delegated"),
    input: z.record(z.string(), z.unknown()),
    childId: z.string(),
    grant: grantSchema.exactOptional(),
    isolation: isolationSchema.exactOptional(),
    feedback,
    facts,
  }),
  z.object({ ...identity, phase: z.literal("ended"), outcome: outcomeSchema, feedback }),
  z.object({ ...identity, phase: z.literal("settled"), outcome: outcomeSchema }),
]) satisfies z.ZodType<RecordedCall>;

const subtaskOutcomeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("finished"), result: z.string(), rest: grantSchema.exactOptional() }),
  z.object({ kind: z.literal("cancelled") }),
  z.object({ kind: z.literal("deleted") }),
  z.object({ kind: z.literal("failed"), message: z.string(), rest: grantSchema.exactOptional() }),
]) satisfies z.ZodType<SubtaskOutcome>;

const backgroundSubtaskSchema = z.object({
  callId: z.string(),
  childId: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  grant: grantSchema.exactOptional(),
  isolation: isolationSchema.exactOptional(),
  rests: z.enum(["paused", "unavailable", "closed"]).exactOptional(),
  end: subtaskOutcomeSchema.exactOptional(),
} satisfies Schemas<BackgroundSubtask>);

const count = z.number().nonnegative();
const repeatedSchema = z.object({ digest: z.string(), times: count });
const countersSchema = z.object({
  mistakes: count,
  noToolUses: count,
  retries: count,
  pauses: count,
  requests: count,
  cost: count.nullable(),
  repeated: repeatedSchema,
  cycles: z.array(repeatedSchema).exactOptional(),
});

const modelSchema = z.object({
  provider: z.string(),
  id: z.string(),
  endpoint: z.string().exactOptional(),
  contextWindow: z.number().positive().exactOptional(),
} satisfies Schemas<ModelRef>);

const jsonSchema: z.ZodType<Json> = z.lazy(() =>
  z.union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(jsonSchema),
    z.record(z.string(), jsonSchema),
  ]),
);

const factsSchema = z.object({
  pending: z.array(userBlockSchema).exactOptional(),
  mentions: z.array(z.number()).exactOptional(),
  background: z.array(z.object({ callId: z.string(), command: z.string() })).exactOptional(),
  backgroundSubtasks: z.array(backgroundSubtaskSchema).exactOptional(),
  counters: countersSchema.exactOptional(),
  retryAt: z.number().exactOptional(),
  requestedAt: z.number().exactOptional(),
  failedDiffs: z.array(z.object({ file: z.string(), times: count })).exactOptional(),
  total: usageSchema.exactOptional(),
  result: z.string().exactOptional(),
  mode: z.string().exactOptional(),
  children: count.exactOptional(),
  model: modelSchema.exactOptional(),
  contextTokens: count.exactOptional(),
  compaction: z
    .discriminatedUnion("state", [
      z.object({ state: z.literal("requested"), by: z.enum(["user", "window"]), instructions: z.string() }),
      z.object({ state: z.literal("applied") }),
    ])
    .nullable()
    .exactOptional(),
  pause: z.enum(["asked", "resting"]).nullable().exactOptional(),
  wakeUps: z
    .array(
      z.object({ id: z.string(), at: z.number(), everyMs: z.number().exactOptional(), message: z.string() }),
    )
    .exactOptional(),
  budget: z
    .discriminatedUnion("state", [
      z.object({ state: z.enum(["own", "lent"]), granted: grantSchema, left: grantSchema }),
      z.object({ state: z.literal("returned"), granted: grantSchema }),
    ])
    .nullable()
    .exactOptional(),
  permissions: z
    .object({
      revision: count,
      mode: permissionModeSchema,
      rules: z.array(sessionRuleSchema),
      held: permissionChangeSchema.exactOptional(),
    })
    .exactOptional(),
  profile: z
    .object({
      name: z.string().nullable(),
      chosen: z.string().nullable(),
      standard: modelSchema.exactOptional(),
    })
    .nullable()
    .exactOptional(),
  intent: z
    .discriminatedUnion("stage", [
      z.object({ stage: z.literal("required") }),
      z.object({ stage: z.literal("selected"), id: z.string() }),
    ])
    .nullable()
    .exactOptional(),
  control: z
    .object({ protocol: z.string(), state: jsonSchema, shutDown: z.string().exactOptional() })
    .nullable()
    .exactOptional(),
} satisfies Schemas<DurableFacts>);

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
    rest: grantSchema.exactOptional(),
  }),
]) satisfies z.ZodType<ReportEvent>;

/** The schemas of a commit's parts. */
export const partSchemas = {
  log: z.array(logEventSchema).default([]),
  conversation: z.array(conversationEventSchema).default([]),
  decisions: z.array(decisionSchema).default([]),
  control: z.array(controlSchema).exactOptional(),
  queue: z.array(queuedSchema).exactOptional(),
  turnEnded: z.boolean().default(false),
  calls: z.array(callSchema).default([]),
  facts: factsSchema.exactOptional(),
  effects: z.array(effectSchema).default([]),
  reports: z.array(reportSchema).default([]),
} satisfies Schemas<CommitParts>;

const takenSchema = z.object({
  position: z.int().positive(),
  refused: z.string().exactOptional(),
} satisfies Schemas<TakenCommand>);

/** One commit. Empty parts are left out. */
const commitSchema = z.object({
  seq,
  kind: z.literal("commit"),
  /** Time of its cause: milliseconds since 1970. */
  at,
  cause: causeSchema.exactOptional(),
  before: z.string(),
  after: z.string(),
  inbox: takenSchema.exactOptional(),
  ...partSchemas,
});

/** Result of an effect, which its actor appends, also after a cancel (L10, L12). */
const effectEndSchema = z.object({
  seq,
  kind: z.literal("effect.end"),
  at,
  callId: z.string(),
  content: z.union([contentSchema, z.literal("uncertain")]),
  writes: writesSchema.exactOptional(),
} satisfies Schemas<
  EffectResult & { readonly seq: number; readonly kind: "effect.end"; readonly at: number }
>);

/** The format version of the records that follow, appended when a task of an earlier version is opened. */
const versionRecordSchema = z.object({ seq, kind: z.literal("version"), at, version });

/** One record of a task's journal. */
export const journalRecordSchema = z.discriminatedUnion("kind", [
  headerSchema,
  versionRecordSchema,
  commitSchema,
  effectEndSchema,
]) satisfies z.ZodType<JournalRecord>;

/** The first record of a journal. */
export type HeaderRecord = {
  readonly seq: 0;
  readonly kind: "header";
  readonly version: number;
} & JournalHeader;
type VersionRecord = z.output<typeof versionRecordSchema>;
export type EffectEndRecord = z.output<typeof effectEndSchema>;
/** Event that caused a commit, without long texts, contents and lists. */
export type RecordedCause = z.output<typeof causeSchema>;

/** The command of the task's inbox that a commit is the result of. Its record and the mark that it was taken are one. */
export interface TakenCommand {
  readonly position: number;
  /** The code of its refusal. The commit then changes nothing. */
  readonly refused?: string;
}

interface CommitFrame {
  readonly seq: number;
  readonly kind: "commit";
  readonly at: number;
  readonly before: string;
  readonly after: string;
  readonly inbox?: TakenCommand;
}

/** One commit, as read. */
export interface CommitRecord extends CommitFrame, CommitParts {
  readonly cause?: RecordedCause;
}

/** One record of a task's journal, as read. */
export type JournalRecord = HeaderRecord | VersionRecord | CommitRecord | EffectEndRecord;

/** One record of a task's journal, as written. Empty parts are left out. */
export type JournalDraft =
  | ({ readonly seq: number; readonly kind: "header"; readonly version: number } & JournalHeader)
  | VersionRecord
  | (CommitFrame & Partial<CommitParts> & { readonly cause?: Readonly<Record<string, unknown>> })
  | ({ readonly seq: number; readonly kind: "effect.end"; readonly at: number } & EffectResult);
