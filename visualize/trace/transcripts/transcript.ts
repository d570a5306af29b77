import type { Entry } from "../../../machines/conversation/entry.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { TranscriptFormat } from "../../../wire/transcript-format.ts";

/** A session of an agent, as its own files record it. Times are milliseconds since 1970. */
export interface Transcript {
  readonly format: TranscriptFormat;
  /** The session's id, as a task id. */
  readonly taskId: string;
  readonly title?: string;
  readonly createdAt: number;
  readonly workspace?: string;
  /** The session that started this one, and its tool call. The call's id is empty where no file names it. */
  readonly parent?: { readonly taskId: string; readonly callId: string };
  /** In the order of the file. */
  readonly entries: readonly TranscriptEntry[];
  readonly problems: readonly TranscriptProblem[];
}

/** A part of a file that could not be read. */
export interface TranscriptProblem {
  /** The file, and the line or the record in it. */
  readonly where: string;
  readonly what: string;
}

/** A file of an agent. */
export interface TranscriptFile {
  /** Its path. Files of one session are found by their names. */
  readonly name: string;
  readonly content: string | Uint8Array;
}

/** The tokens and the cost of one request. Tokens of the cache are not in `tokensIn`. */
export interface TranscriptUsage {
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly cacheWrites: number;
  readonly cacheReads: number;
  /** US dollars. Null: unknown. */
  readonly cost: number | null;
}

/** How a tool call ended. */
export type CallEnd =
  | { readonly outcome: "done" | "failed" | "interrupted" }
  /** `by`: a person who was asked, or the name of a rule. */
  | { readonly outcome: "denied"; readonly by: "person" | { readonly rule: string } };

/** One thing that happened in a session, at a time. */
export type TranscriptEntry = { readonly at: number } & TranscriptEvent;

/** One thing that happened in a session. */
export type TranscriptEvent =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "request"; readonly id: string }
  | { readonly kind: "text"; readonly text: string }
  /** `signature`: the endpoint's signature, which is sent back with the thinking. */
  | { readonly kind: "thinking"; readonly text: string; readonly signature?: string }
  | TranscriptCall
  /** A person approved the call: its tool starts. */
  | { readonly kind: "approved"; readonly callId: string }
  | TranscriptResult
  | TranscriptResponse
  | { readonly kind: "compaction"; readonly summary: string; readonly tokensBefore?: number }
  /** `text`: the error of a turn that failed. */
  | { readonly kind: "turn.ended"; readonly how: "done" | "interrupted" | "failed"; readonly text?: string }
  /** A message of a log that is in the form of Roo Code already. */
  | { readonly kind: "message"; readonly message: ClineMessage }
  /** An entry of the conversation of such a log. */
  | { readonly kind: "entry"; readonly entry: Entry }
  /** A record that no reader interprets. */
  | { readonly kind: "raw"; readonly type: string; readonly json: string };

/** A tool call that the model sent. */
export interface TranscriptCall {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The call waits for a person until its result. */
  readonly asks?: true;
  /** The task id of the session that the call started. */
  readonly childId?: string;
}

/** The result of a tool call. */
export type TranscriptResult = {
  readonly kind: "result";
  readonly callId: string;
  readonly text: string;
  /** The exit code of a command. */
  readonly exitCode?: number;
} & CallEnd;

/** The end of a request. */
export interface TranscriptResponse {
  readonly kind: "response";
  readonly id: string;
  readonly model?: { readonly provider: string; readonly id: string };
  readonly usage?: TranscriptUsage;
  /** The reason why there is no response. */
  readonly error?: string;
}
