import * as z from "zod";
import type { Denial } from "../../machines/message/message.ts";

/** Types of output lines. */
export const JSON_EVENT_TYPES = [
  "system",
  "control",
  "queue",
  "assistant",
  "user",
  "tool_use",
  "tool_result",
  "thinking",
  "error",
  "result",
] as const;

const cost = z.object({
  /** Absent: unknown. */
  totalCost: z.number().optional(),
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  cacheWrites: z.number().optional(),
  cacheReads: z.number().optional(),
});

const queueItem = z.looseObject({
  id: z.string(),
  /** White space compacted, at most 180 characters. */
  text: z.string().optional(),
  imageCount: z.number().optional(),
  timestamp: z.number().optional(),
});

/** One line of the output, as a client reads it. Unknown fields are kept. */
export const jsonEventSchema = z.looseObject({
  type: z.enum(JSON_EVENT_TYPES),
  subtype: z.string().optional(),
  requestId: z.string().optional(),
  command: z.string().optional(),
  taskId: z.string().optional(),
  code: z.string().optional(),
  content: z.string().optional(),
  success: z.boolean().optional(),
  /** The `ts` of its message. */
  id: z.number().optional(),
  /** The open ask, which an answer names (L8). */
  askId: z.number().optional(),
  /** True on the last event of an id. */
  done: z.boolean().optional(),
  queueDepth: z.number().optional(),
  queue: z.array(queueItem).optional(),
  schemaVersion: z.number().optional(),
  protocol: z.string().optional(),
  capabilities: z.array(z.string()).optional(),
  message: z.unknown().optional(),
  tool_use: z.object({ name: z.string(), input: z.unknown().optional() }).optional(),
  tool_result: z
    .object({
      name: z.string(),
      output: z.string().optional(),
      error: z.string().optional(),
      exitCode: z.number().optional(),
    })
    .optional(),
  cost: cost.optional(),
  /** The source of the denial of a tool call. */
  denial: z.unknown().optional(),
  /** The part of the call that an approval of the ask can amend: on the `done` event of the command `proposal`. */
  proposal: z.unknown().optional(),
});

/** One line of the output, parsed. */
export type ParsedJsonEvent = z.output<typeof jsonEventSchema>;

type Deep<T> = T extends readonly (infer Item)[]
  ? readonly Deep<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Deep<T[K]> }
    : T;

/** Usage of a request or a task, in US dollars and tokens. */
export type JsonCost = Deep<z.output<typeof cost>>;
/** A queued message in a queue event. */
export interface JsonQueueItem {
  readonly id: string;
  readonly text?: string;
  readonly imageCount?: number;
  readonly timestamp?: number;
}

/** One line of the output, as written. Fields without a value are absent. */
export interface JsonEvent {
  /** `system`, `control`, `queue`, `assistant`, `user`, `tool_use`, `tool_result`, `thinking`, `error` or `result`. */
  readonly type: (typeof JSON_EVENT_TYPES)[number];
  /** Kind within the type. */
  readonly subtype?: string;
  /** The command that the event belongs to. */
  readonly requestId?: string;
  /** Name of that command, on `control` events. */
  readonly command?: string;
  /** Id of the subtask that the event is about; on `control` and `result` events of the task. */
  readonly taskId?: string;
  /** Code of an error (docs/reference/errors.md), of an ask that rests on one, or of a reply. */
  readonly code?: string;
  /** Text; of a streaming message the delta. */
  readonly content?: string;
  /** Whether the task, or the command, succeeded. */
  readonly success?: boolean;
  /** The `ts` of the message. */
  readonly id?: number;
  /** The ask that is open with this event. */
  readonly askId?: number;
  /**
   * True on the last event of an `id`, which has the whole text (of a command's output only in `json` mode), and on the
   * last one of a command.
   */
  readonly done?: boolean;
  /** Number of queued messages. */
  readonly queueDepth?: number;
  /** The queued messages. */
  readonly queue?: readonly JsonQueueItem[];
  /** Version of this format, on the `init` event. */
  readonly schemaVersion?: number;
  /** Name of this protocol, on the `init` event. */
  readonly protocol?: string;
  /** The additions that the process offers, on the `init` event. */
  readonly capabilities?: readonly string[];
  /** On the `done` event of the command `proposal`: what an approval of the ask can amend. */
  readonly proposal?: unknown;
  /** On `system` events with subtype `message`: a message of the log, for clients that keep the log. */
  readonly message?: unknown;
  /** A call: its `name`, and its `input` once it is complete. */
  readonly tool_use?: { readonly name: string; readonly input?: unknown };
  /** A result: `name`, `output`, `error`, `exitCode`. */
  readonly tool_result?: {
    readonly name: string;
    readonly output?: string;
    readonly error?: string;
    readonly exitCode?: number;
  };
  /**
   * The usage of a result, subtasks included: `totalCost` in US dollars (absent: unknown), `inputTokens`, `outputTokens`,
   * `cacheWrites`, `cacheReads`.
   */
  readonly cost?: JsonCost;
  /**
   * The source of the denial of a tool call: `rule`, `hook`, or `policy` with `clause`. `tool_use` is then the call, with
   * its whole input.
   */
  readonly denial?: Denial;
}
