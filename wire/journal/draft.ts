import type { ConversationEvent } from "../../machines/conversation/index.ts";
import type { LogEvent } from "../../machines/message/index.ts";
import type { EffectEnd, EffectEvent, Facts, QueuedMessage, ReportEvent } from "../../machines/task/index.ts";
import type { Decision, RecordedCall } from "../../machines/tool-call/index.ts";

/** Whose journal it is. */
export interface JournalHeader {
  readonly taskId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly workspace?: string;
  readonly title?: string;
  /** Of a subtask: the task that it works for, the topmost one, and the call that it is the work of (L16). */
  readonly parent?: { readonly taskId: string; readonly rootId: string; readonly callId: string };
  /** Of a fork: the task that it was taken from, and the last record that both share. */
  readonly forkedFrom?: { readonly taskId: string; readonly seq: number };
}

/** A record that can be written: what {@link journalRecordSchema} reads again. Empty lists are left out. */
export type JournalDraft = { readonly seq: number } & (
  | ({ readonly kind: "header"; readonly version: number } & JournalHeader)
  | {
      readonly kind: "commit";
      readonly at: number;
      readonly cause?: Readonly<Record<string, unknown>>;
      readonly before: string;
      readonly after: string;
      readonly log?: readonly LogEvent[];
      readonly conversation?: readonly ConversationEvent[];
      readonly decisions?: readonly Decision[];
      readonly queue?: readonly QueuedMessage[];
      readonly turnEnded?: boolean;
      readonly calls?: readonly RecordedCall[];
      readonly facts?: Partial<Facts>;
      readonly effects?: readonly EffectEvent[];
      readonly reports?: readonly ReportEvent[];
    }
  | ({ readonly kind: "effect.end"; readonly at: number } & EffectEnd)
);
