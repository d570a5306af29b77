import type { CallAsk } from "./call.ts";

/** A value that JSON writes and reads back unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** The name under which the model knows the protocol: it says nothing about it. */
export const CONTROL_HOOK = "control";
/** The reason that the model gets when a protocol ends the task. */
export const TASK_ENDED = "the task was ended.";
/** The reason why an audit ends a task. */
export const ATTACK_FOUND = "The audit found an attack.";

/** The model that wrote an action. */
export type Author = "untrusted" | "trusted";

/** A point at which a protocol decides. */
export type ControlPoint = "response" | "call" | "result";

/** The control protocol of a task, and how far it is. */
export interface ControlState {
  /** Name of the protocol. */
  readonly protocol: string;
  /** The state of the protocol, such as the audits that were used. */
  readonly state: Json;
  /** The reason why the protocol ended the task: no request and no effect follows. */
  readonly shutDown?: string;
}

/** A decision of a protocol, for the journal alone: no message, no request and no state of the task has it. */
export interface ControlRecord {
  readonly point: ControlPoint;
  /** Absent at a response. */
  readonly callId?: string;
  readonly author: Author;
  /** Digest of exactly what was judged. */
  readonly digest: string;
  readonly verdict: string;
  /** The scores of the monitors at the point, from 0 to 1. */
  readonly scores: Readonly<Record<string, number>>;
  readonly rationales?: Readonly<Record<string, string>>;
  /** The finding of an auditor in place of a person. */
  readonly audit?: "attack" | "harmless";
  /** The error of a judge that failed, which denies. */
  readonly error?: string;
  /** Cost of the monitors, the audit and the trusted model, in dollars. */
  readonly dollars?: number;
}

/** The part of an event in which a protocol decided. */
export interface Controlled {
  /** One, or at a response that was sampled again one for each decision. */
  readonly records: readonly ControlRecord[];
  /** The next state of the protocol. */
  readonly state: Json;
  /** The reason why the task ends. */
  readonly shutDown?: string;
}

/** A call that the trusted model wrote in place of another one. */
export interface TrustedCall {
  /** Canonical name of its tool. */
  readonly name: string;
  readonly ask: CallAsk;
}
