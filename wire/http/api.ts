import { z } from "zod";

/** What the HTTP server says and takes. Times are milliseconds since 1970, costs US dollars. */
const count = z.number().nonnegative();

/** An ask that is open, and can be answered by its id. */
export const openAskSchema = z.object({
  askId: z.number(),
  kind: z.string(),
  text: z.string(),
  callId: z.string().exactOptional(),
  /** The kinds of answer that it takes. */
  accepts: z.array(z.enum(["yes", "no", "text"])),
});

/** A task, as a list shows it. */
export const taskInfoSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** One of the six states. */
  state: z.enum(["no_task", "running", "streaming", "waiting_for_input", "idle", "resumable"]),
  /** The machine's own, as a dotted path; in a list, of a task that is not open, the state alone. */
  path: z.string(),
  mode: z.string().exactOptional(),
  cost: count,
  /** These three are left out in a list of a task that is not open: only reading all of it tells them. */
  tokensIn: count.exactOptional(),
  tokensOut: count.exactOptional(),
  messages: count.exactOptional(),
  createdAt: z.number(),
  updatedAt: z.number(),
  workspace: z.string().exactOptional(),
  parentId: z.string().exactOptional(),
  /** Whether the server has it open: one that is not can be looked at, opened and forked. */
  isOpen: z.boolean(),
  asks: z.array(openAskSchema),
  /** While its events are held: the types of those that wait, the next one first. */
  held: z.array(z.string()).exactOptional(),
  /** While they are held for a law that was broken: which, and why. */
  broken: z.object({ law: z.string(), reason: z.string() }).exactOptional(),
});

export const taskListSchema = z.object({ tasks: z.array(taskInfoSchema) });

/** Words for a task: its first, or more. */
export const wordsSchema = z.object({
  text: z.string(),
  images: z.array(z.string()).default([]),
});

export const newTaskSchema = z.object({
  prompt: z.string(),
  images: z.array(z.string()).default([]),
  /** A folder on the server's machine. Default: the server's own. */
  workspace: z.string().exactOptional(),
  mode: z.string().exactOptional(),
  id: z.string().exactOptional(),
});

export const answerSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("yes"),
    text: z.string().exactOptional(),
    images: z.array(z.string()).exactOptional(),
  }),
  z.object({
    kind: z.literal("no"),
    text: z.string().exactOptional(),
    images: z.array(z.string()).exactOptional(),
  }),
  z.object({ kind: z.literal("text"), text: z.string(), images: z.array(z.string()).exactOptional() }),
]);

/** Where a task's events are held before its machine takes them. What is left out holds nothing. */
export const breakpointsSchema = z.object({
  /** Dotted paths of states that it comes to. */
  states: z.array(z.string()).default([]),
  /** Types of events. */
  events: z.array(z.string()).default([]),
  /** Once one of the laws is broken that the server holds its tasks against: those of messages, or L1 alone. */
  laws: z.boolean().default(false),
  /** The very next event. */
  pause: z.boolean().default(false),
});

/** What is set, and why what was set was lifted by itself. */
export const setBreakpointsSchema = breakpointsSchema.extend({ lifted: z.string().exactOptional() });

/** Where a fork is taken: the last record that both share. Default: the newest. */
export const forkSchema = z.object({ at: z.int().nonnegative().exactOptional() });

/** What was put into the queue: its id takes it out again. */
export const queuedSchema = z.object({ id: z.string() });

/** Other words for a message that waits in the queue. Without images it keeps its own; an empty list takes them away. */
export const editSchema = z.object({ text: z.string(), images: z.array(z.string()).exactOptional() });

export type QueuedEdit = z.output<typeof editSchema>;

/** A name of one line; an empty one gives the task back its prompt. */
export const renameSchema = z.object({ title: z.string() });

/** What is given for a session's cookie: the token of the address that the server printed. */
export const sessionSchema = z.object({ token: z.string() });

/** An error, in the form of RFC 9457. `code` is one of the package's error codes. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
});

export type OpenAskInfo = z.output<typeof openAskSchema>;
export type TaskInfo = z.output<typeof taskInfoSchema>;
export type NewTask = z.input<typeof newTaskSchema>;
export type AnswerBody = z.input<typeof answerSchema>;
export type Problem = z.output<typeof problemSchema>;
