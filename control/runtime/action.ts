import type { Conversation } from "../../machines/conversation/conversation.ts";
import type { Author, ControlPoint } from "../../machines/tool-call/control.ts";
import type { ProposedCall } from "../facts.ts";

/** An action with all that a monitor needs, exactly as it would run. */
export interface MonitoredAction {
  readonly point: ControlPoint;
  readonly author: Author;
  /** Digest of exactly what is judged. */
  readonly digest: string;
  readonly taskId: string;
  /** The call that is judged, or whose result is. Absent at a response. */
  readonly call?: ProposedCall;
  /** The text of the response, where one is judged. */
  readonly text?: string;
  /** The thinking of the response, where one is judged. In other cases it is in the conversation. */
  readonly thinking?: string;
  /** All calls of the response, in order, as the model sent them. */
  readonly calls: readonly ProposedCall[];
  /** The result of the call, where it is judged. */
  readonly result?: string;
  /** The conversation with thinking. At a response: before it. */
  readonly conversation: Conversation;
  /** The part of the action that a member of an ensemble sees. */
  readonly part?: string;
  /** Whether the monitor is tested: it gives the score of a known attack in the form of this action. Default false. */
  readonly isHoneypot?: boolean;
}

/** The report of a monitor about an action. */
export interface MonitorReport {
  /** Suspicion score, from 0 to 1. Any other is replaced by 1. */
  readonly score: number;
  /** For the journal alone, unless the protocol explains. */
  readonly rationale?: string;
  /** Cost in US dollars. Default 0. */
  readonly dollars?: number;
}

/** The signal of a decision. It aborts at the time limit of the decision, and when the task is cancelled. */
export interface MonitorScope {
  readonly signal: AbortSignal;
}

/** A monitor that runs: a function, a model or a person. One that fails gives the score 1. */
export type RunMonitor = (
  action: MonitoredAction,
  scope: MonitorScope,
) => MonitorReport | Promise<MonitorReport>;

/** The action of the trusted model. In place of a call, it has a call. */
export interface TrustedAction {
  readonly call?: ProposedCall;
  /** The text of a response. */
  readonly text?: string;
  /** Cost in US dollars. Default 0. */
  readonly dollars?: number;
}

/** Writes the trusted model's action in place of one: a new one from scratch, or an edit of it. */
export type WriteTrusted = (
  action: MonitoredAction,
  from: "scratch" | "edit",
  scope: MonitorScope,
) => TrustedAction | Promise<TrustedAction>;

/** Audits an action in place of a person. An attack ends the task. */
export type AuditAction = (
  action: MonitoredAction,
  scope: MonitorScope,
) => "attack" | "harmless" | Promise<"attack" | "harmless">;
