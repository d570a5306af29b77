import * as z from "zod";
import { journalRecordSchema } from "../journal/record.ts";

/** A value that a guard read: `counters.requests`, or `event.askId`. Long values are shortened. */
const readSchema = z.object({ path: z.string(), value: z.string() });

/** A transition that a state has for an event. */
const candidateSchema = z.object({
  /** The state whose transition it is, as a dotted path; the machine's id for its root. */
  state: z.string(),
  /** Absent: it has no guard, and passes. */
  guard: z.string().exactOptional(),
  /** Empty: the state stays. */
  targets: z.array(z.string()),
  /** The names of its actions, in order. */
  actions: z.array(z.string()),
  /**
   * `taken`: the first that passes, from the innermost state outwards. `passes`: it would have been taken without that one.
   * `unknown`: its guard reads something that the source lacks.
   */
  verdict: z.enum(["taken", "passes", "fails", "unknown"]),
  /** The values that its guard read, in order. */
  reads: z.array(readSchema),
  /** The value that the guard needs and the source lacks. */
  missing: z.string().exactOptional(),
});

/** One microstep: the candidates, one of them taken. None is taken by an event that changes nothing. */
const explainedStepSchema = z.object({
  /** The state before it, as a dotted path. */
  state: z.string(),
  /** The type of the event; empty for an eventless microstep. */
  event: z.string(),
  candidates: z.array(candidateSchema),
});

type RecordSchema = typeof journalRecordSchema;
/** The type has a name: without one, the declarations of this file would repeat all records. */
interface NamedRecordSchema extends RecordSchema {}
const recordSchema: NamedRecordSchema = journalRecordSchema;

/** The reasons for the effects of an event, or the effects that another would have. */
export const explanationSchema = z.object({
  /** `machine`: computed with the machine's own state. `journal`: with what the journal has of it. */
  source: z.enum(["machine", "journal"]),
  /** The type of the event. */
  event: z.string(),
  /** The machine's state before and after, as dotted paths. */
  before: z.string(),
  after: z.string(),
  steps: z.array(explainedStepSchema),
  /** The record that the event would append, numbered as the next one. Absent: nothing would change, or it is not known. */
  record: recordSchema.exactOptional(),
  /** The law that the event would break. */
  broken: z.object({ law: z.string(), reason: z.string() }).exactOptional(),
});

/** An event of the machine. Its fields are defined by the machine's protocol. */
const eventSchema = z.looseObject({ type: z.string() });

/** The body of POST /api/tasks/ID/explain. */
export const explainSchema = z.object({
  /** The number of a record. Default: the newest. */
  record: z.int().nonnegative().exactOptional(),
  /** An event to process after the record. Default: the record's own event, from the state before it. */
  event: eventSchema.exactOptional(),
});

/** The body of the response: the explanation, and events that the machine could process after the record. */
export const explainedSchema = z.object({
  /** Null if only the state after the record is known. */
  explanation: explanationSchema.nullable(),
  events: z.array(eventSchema),
});

export type Candidate = z.output<typeof candidateSchema>;
export type ValueRead = z.output<typeof readSchema>;
export type ExplainedStep = z.output<typeof explainedStepSchema>;
export type Explanation = z.output<typeof explanationSchema>;
export type Explained = z.output<typeof explainedSchema>;
export type ExplainBody = z.output<typeof explainSchema>;
export type SupposedEvent = z.output<typeof eventSchema>;
