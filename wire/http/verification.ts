import * as z from "zod";

const countSchema = z.int().nonnegative();
/** Numbers by name. */
const countsByNameSchema = z.record(z.string(), countSchema);

const figuresSchema = z.object({
  states: countSchema,
  steps: countSchema,
  depth: countSchema,
  seconds: z.number().nonnegative(),
  /** Whether every state within the bounds was visited. */
  complete: z.boolean(),
});

const lawSchema = z.object({
  id: z.string(),
  title: z.string(),
  verdict: z.string(),
  /** The macrosteps at which it was checked; none for a law of the whole graph. */
  macrosteps: countSchema,
  /** The part of the explored tasks that holds it. Absent: they have none. */
  heldBy: z.string().exactOptional(),
});

/** How often recorded tasks took a transition. */
const recordedCountSchema = z.object({
  times: countSchema,
  /** How often they took it or another transition that differs only in its guard: the journal does not show which. */
  perhaps: countSchema,
});

/** A transition of a machine's table, with its counts. */
const transitionSchema = z.object({
  source: z.string(),
  /** The type of the event, or `always`. */
  event: z.string(),
  /** Empty: it has no guard. */
  guard: z.string(),
  /** Empty: the state stays. */
  target: z.string(),
  /** How often the explorations took it. */
  explored: countSchema,
  /** How often recorded tasks took it. Absent: this is not counted. */
  recorded: recordedCountSchema.exactOptional(),
});

const recordedTasksSchema = z.object({
  tasks: countSchema,
  events: countSchema,
  /** How often they entered each state, by its path, without the states that an event only passes through. */
  states: countsByNameSchema,
  /** How often they took each edge, by its id: `source -> target`. */
  edges: countsByNameSchema,
  /** The tasks whose journals are damaged: the records before the damage are counted. */
  damaged: z.array(z.string()),
});

/** Two events, and their outcomes in both orders. */
const raceSchema = z.object({
  first: z.string(),
  second: z.string(),
  /** The comparison of both orders, in words. */
  end: z.string(),
  isSame: z.boolean(),
  /** The number of explored states in which they race, by the state of the machine. */
  in: countsByNameSchema,
  /** The resulting states of `first` before `second`, and of the other order. */
  outcomes: z.tuple([z.array(z.string()), z.array(z.string())]),
});

const racesSchema = z.object({
  /** The pairs that were explored, each in both orders. */
  pairs: countSchema,
  complete: z.boolean(),
  races: z.array(raceSchema),
});

/** A violated law with the shortest path to it. */
const violationSchema = z.object({
  law: z.string(),
  what: z.string(),
  exploration: z.string(),
  trace: z.string(),
});

/** The result of a verification, as the page shows it. */
const resultSchema = z.object({
  figures: figuresSchema,
  explorations: z.array(figuresSchema.extend({ name: z.string() })),
  laws: z.array(lawSchema),
  /** The number of explored states by the state of the machine, as a dotted path. */
  states: countsByNameSchema,
  /** The transitions of the task machine. */
  transitions: z.array(transitionSchema),
  /** The transitions of a tool call. */
  callTransitions: z.array(transitionSchema),
  /** The pairs of events that were explored in both orders. Absent: a law is broken, so no pairs were explored. */
  races: racesSchema.exactOptional(),
  /** The recorded tasks whose transitions are counted. Absent: none were given. */
  recorded: recordedTasksSchema.exactOptional(),
  violations: z.array(violationSchema),
});

/** Null: the server has no verification. */
export const verificationSchema = z.object({ verification: resultSchema.nullable() });

/** The counts of recorded tasks for the transitions of a verification. */
export const verificationCountsSchema = z.object({
  recorded: recordedTasksSchema,
  /** One for each transition of the task machine in the verification, in its order. Null: this is not counted. */
  transitions: z.array(recordedCountSchema.nullable()),
});

export type Verification = z.output<typeof resultSchema>;
export type ExplorationFigures = z.output<typeof figuresSchema>;
export type VerifiedTransition = z.output<typeof transitionSchema>;
export type RecordedCount = z.output<typeof recordedCountSchema>;
export type RecordedTasks = z.output<typeof recordedTasksSchema>;
export type VerifiedRaces = z.output<typeof racesSchema>;
export type VerifiedRace = z.output<typeof raceSchema>;
export type VerificationCounts = z.output<typeof verificationCountsSchema>;
