import * as z from "zod";
import { AgentLoopState } from "../../machines/message/states.ts";
import type { Proposal } from "../../machines/tool-call/call.ts";
import type { PermissionState } from "../../machines/tool-call/permissions.ts";
import { ownFilesSchema } from "../own-files.ts";
import { permissionChangeSchema, permissionModeSchema, sessionRuleSchema } from "../permissions.ts";
import { poolSchema } from "../pool.ts";
import { transcriptFormatSchema } from "../transcript-format.ts";

// Bodies of HTTP requests and responses. Times are milliseconds since 1970, costs are US dollars.

const count = z.number().nonnegative();

/** An open ask; its id answers it. */
export const openAskSchema = z.object({
  askId: z.number(),
  kind: z.string(),
  text: z.string(),
  callId: z.string().exactOptional(),
  /** The kinds of answer that it accepts. */
  accepts: z.array(z.enum(["yes", "no", "text"])),
  /** The call of an approval, its command line, its paths, and the diff of an edit. */
  tool: z
    .object({ name: z.string(), effect: z.string(), input: z.record(z.string(), z.unknown()) })
    .exactOptional(),
  command: z.string().exactOptional(),
  paths: z
    .array(z.object({ path: z.string(), real: z.string().exactOptional(), inside: z.boolean() }))
    .exactOptional(),
  diff: z.string().exactOptional(),
  /** The reason of the ask. A tool call has the rule and its file, or the permission mode; a paused task has `paused`. */
  reason: z.string().exactOptional(),
  /** Rules that would allow such calls from now on, the narrowest first. An answer can add one. */
  rules: z.array(z.string()).exactOptional(),
  /** The kind of amendment that an approval takes: the content of a file, a todo list, or the files that are read. */
  proposal: z.enum(["file", "todos", "files"]).exactOptional(),
  /** The result of a completion. */
  result: z.string().exactOptional(),
});

/** The part of a call that an approval can amend, with the form of the amendment. */
export const proposalSchema = z.discriminatedUnion("kind", [
  /** `{ content }`: the whole new content of one file. */
  z.object({
    kind: z.literal("file"),
    path: z.string(),
    /** The version of the file. An amendment is not written to a file that changed since. */
    base: z.string(),
    /** Absent: the file does not exist, or is not text. */
    before: z.string().exactOptional(),
    after: z.string(),
  }),
  /** `{ todos }`: a markdown checklist. */
  z.object({ kind: z.literal("todos"), after: z.string() }),
  /** `{ files }`: whether each may be read, by its path. */
  z.object({ kind: z.literal("files"), paths: z.array(z.string()) }),
]) satisfies z.ZodType<Proposal>;

const permissionsSchema = z.object({
  mode: permissionModeSchema,
  rules: z.array(sessionRuleSchema),
  /** A change that permits more. It applies when the open ask about a call is closed. */
  held: permissionChangeSchema.exactOptional(),
});

/** A wake-up that a person schedules. Without `everyMs` it is due once. */
export const wakeUpSchema = z.object({
  at: z.number(),
  everyMs: z.number().exactOptional(),
  message: z.string(),
});

/** A task in the task list. */
export const taskInfoSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** One of the six states. */
  state: z.enum(AgentLoopState),
  /** The machine's state as a dotted path. In a list, a task that is not open has only its `state`. */
  path: z.string(),
  mode: z.string().exactOptional(),
  /** The profile whose model the next request goes to. Absent for a task that is not open. */
  profile: z.string().exactOptional(),
  /** The model of the last request: `provider/id`. Absent before one. */
  model: z.string().exactOptional(),
  /** The files of a task that works or worked in a worktree or copy: whether they are merged or declined, and by whom. */
  files: ownFilesSchema.exactOptional(),
  /** In a workspace with intents: the id of the selected one; null before one is selected. */
  intent: z.string().nullable().exactOptional(),
  /** The permissions that the user gives it at run time. Absent for a task that is not open. */
  permissions: permissionsSchema.exactOptional(),
  /** Its wake-ups: when each is due, and the milliseconds between two. Absent without one, and for a task that is not open. */
  wakeUps: z.array(wakeUpSchema.extend({ id: z.string() })).exactOptional(),
  /** Null: unknown. */
  cost: count.nullable(),
  /** The next three are absent in a list for a task that is not open: they need its whole journal. */
  tokensIn: count.exactOptional(),
  tokensOut: count.exactOptional(),
  messages: count.exactOptional(),
  createdAt: z.number(),
  updatedAt: z.number(),
  workspace: z.string().exactOptional(),
  parentId: z.string().exactOptional(),
  /** The pool of the workers that run it. Absent: `default`, the pool of its root, or the server runs it itself. */
  pool: z.string().exactOptional(),
  /** Whether its parent goes on while it works. Absent for a task that is not open. */
  isBeside: z.literal(true).exactOptional(),
  /** The format of the session of another agent that it was made from. Its states are derived, and nothing can be done with it. */
  transcript: transcriptFormatSchema.exactOptional(),
  /** Whether the server has it open. Another task can be viewed, opened and forked. */
  isOpen: z.boolean(),
  asks: z.array(openAskSchema),
  /** The reason why it is at rest; absent while it is not. */
  rest: z.enum(["completed", "failed", "limited", "interrupted", "paused", "ended"]).exactOptional(),
  /** The error that ended its last run. */
  error: z.object({ code: z.string(), message: z.string() }).exactOptional(),
  /** Whether the process of a task that is not open ended before the task settled. */
  isInterrupted: z.literal(true).exactOptional(),
  /** Whether a cancel brought it to rest, or a person who declined to continue. */
  isCancelled: z.literal(true).exactOptional(),
  /** The ask that a task that is not open waits for or rests on. Its text is shortened. */
  lastAsk: z
    .object({
      askId: z.number(),
      kind: z.string(),
      text: z.string(),
      /** The code of the error that led to it. */
      errorCode: z.string().exactOptional(),
    })
    .exactOptional(),
  /** The ask that was open when it was interrupted. It is withdrawn. */
  stoppedAsk: z.object({ kind: z.string(), text: z.string() }).exactOptional(),
  /** Requests since a person last extended its limits: all of them, if none did. Absent where it is not known. */
  requests: count.exactOptional(),
  /** The unusable part of its journal. */
  problem: z.object({ kind: z.enum(["torn", "damaged", "unreadable"]), reason: z.string() }).exactOptional(),
  /** While its events are held: their types, the next one first. */
  held: z.array(z.string()).exactOptional(),
  /** While they are held because of a violated law: its name and the reason. */
  broken: z.object({ law: z.string(), reason: z.string() }).exactOptional(),
});

export const taskListSchema = z.object({ tasks: z.array(taskInfoSchema) });

/** A message of the user to a task. */
export const userMessageSchema = z.object({
  text: z.string(),
  images: z.array(z.string()).default([]),
});

export const newTaskSchema = z.object({
  prompt: z.string(),
  images: z.array(z.string()).default([]),
  /** A folder on the server's machine. Default: the server's working directory. */
  workspace: z.string().exactOptional(),
  mode: z.string().exactOptional(),
  id: z.string().exactOptional(),
  /** The pool of the workers that run it, on a server with workers. Default: the server's. */
  pool: poolSchema.exactOptional(),
});

export const answerSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("yes"),
    text: z.string().exactOptional(),
    images: z.array(z.string()).exactOptional(),
    /** A rule of the session that allows such calls from now on, with an approval: one of the ask's `rules`, for example. */
    rule: z.string().exactOptional(),
    /** The arguments that run in place of the ask's proposal, with an approval. */
    amendment: z.record(z.string(), z.unknown()).exactOptional(),
    /** Code approves in place of a person. */
    by: z.literal("program").exactOptional(),
  }),
  z.object({
    kind: z.literal("no"),
    text: z.string().exactOptional(),
    images: z.array(z.string()).exactOptional(),
  }),
  z.object({
    kind: z.literal("text"),
    text: z.string(),
    images: z.array(z.string()).exactOptional(),
    /** The slug of the mode to switch to, such as the slug of the chosen suggestion. */
    mode: z.string().exactOptional(),
  }),
]);

/** The slug of the mode of the next request. */
export const modeSchema = z.object({ mode: z.string() });

export const profileSchema = z.object({ profile: z.string() });

/** A breakpoint on a type of event: it holds while the task is in the state, and for calls of the tool. */
const eventBreakpointSchema = z.strictObject({
  type: z.string(),
  /** A dotted path. */
  state: z.string().exactOptional(),
  /** The canonical name of a tool. */
  tool: z.string().exactOptional(),
});

/** The modes and the models that an open task can be switched to. */
export const choicesSchema = z.object({
  modes: z.array(z.object({ slug: z.string(), name: z.string() })),
  /** The standard model's first. Without a model: the profile has none that is known. */
  profiles: z.array(
    z.object({ name: z.string(), provider: z.string().exactOptional(), model: z.string().exactOptional() }),
  ),
});

/** A checkpoint of a task, oldest first. `hash` names it. */
const checkpointSchema = z.object({ hash: z.string(), at: z.number() });

export const checkpointsSchema = z.object({ checkpoints: z.array(checkpointSchema) });

const checkpointFilesSchema = z.object({
  added: z.array(z.string()),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
});

/** The changes that a restore of a checkpoint would make. */
export const checkpointDiffSchema = z.object({
  files: checkpointFilesSchema,
  /** A unified diff from the present files to the files of the checkpoint. */
  text: z.string(),
  /** Identifies the present files. */
  present: z.string(),
});

/** `present`: of the diff that was shown. Nothing is restored if the files have changed since. */
export const restoreSchema = z.object({ present: z.string() });

export const restoredSchema = z.object({
  files: checkpointFilesSchema,
  /** The checkpoint of the files before. Absent: nothing had to be changed. */
  undo: z.string().exactOptional(),
  /** Files that could not be written or removed, with the reason. */
  failed: z.array(z.object({ path: z.string(), why: z.string() })),
});

/** Breakpoints: where a task's events are held before its machine processes them. */
export const breakpointsSchema = z.object({
  /** Dotted paths of states that are entered. */
  states: z.array(z.string()).default([]),
  /** Types of events, with conditions or without. */
  events: z.array(z.union([z.string(), eventBreakpointSchema])).default([]),
  /** Whether a violation holds them: of the laws that the server monitors (the laws of messages, or L1 alone). */
  laws: z.boolean().default(false),
  /** Whether the next event is held. */
  pause: z.boolean().default(false),
});

/** The current breakpoints. `lifted`: why the server removed the previous ones. */
export const setBreakpointsSchema = breakpointsSchema.extend({ lifted: z.string().exactOptional() });

/** Fork of a task. */
export const forkSchema = z.object({
  /** The last record that both share. Default: the newest. */
  at: z.int().nonnegative().exactOptional(),
  /** Whether the fork is opened with the ask that is open after that record. The task must be open. */
  keepAsk: z.boolean().default(false),
  /** The profile whose model the fork's next request goes to: the fork is open. Default: the profile of the task. */
  profile: z.string().exactOptional(),
});

/** The models that a task of the server can select, the standard one first. */
export const modelsSchema = z.object({
  models: z.array(
    z.object({
      profile: z.string(),
      /** The model's name. Absent: it depends on the task. */
      model: z.string().exactOptional(),
    }),
  ),
});

export type ServedModel = z.output<typeof modelsSchema>["models"][number];
export type ForkOptions = Omit<z.input<typeof forkSchema>, "at">;

/** A queued message; its id removes it. */
export const queuedSchema = z.object({ id: z.string() });

/** New text of a queued message. Without `images` it keeps its images; an empty list removes them. */
export const editSchema = z.object({ text: z.string(), images: z.array(z.string()).exactOptional() });

export type ScheduledWakeUp = z.output<typeof wakeUpSchema>;
export type QueuedEdit = z.output<typeof editSchema>;

/** A title of one line; an empty one restores the prompt as title. */
export const renameSchema = z.object({ title: z.string() });

/** Exchanges the token of the printed address for a session cookie. */
export const sessionSchema = z.object({ token: z.string() });

/** An error as problem details (RFC 9457). `code` is one of the package's error codes. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
});

export type OpenAskInfo = z.output<typeof openAskSchema>;
export type TaskInfo = z.output<typeof taskInfoSchema>;

/** The permissions of a task, for its info. */
export const permissionsInfo = ({ mode, rules, held }: PermissionState): z.output<typeof permissionsSchema> =>
  permissionsSchema.parse({ mode, rules, ...(held && { held }) });
export type PermissionChangeBody = z.input<typeof permissionChangeSchema>;
export type CheckpointDiffInfo = z.output<typeof checkpointDiffSchema>;
export type Restored = z.output<typeof restoredSchema>;
export type Choices = z.output<typeof choicesSchema>;
export type NewTask = z.input<typeof newTaskSchema>;
export type AnswerBody = z.input<typeof answerSchema>;
export type Problem = z.output<typeof problemSchema>;
