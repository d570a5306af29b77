export { abstractionOf } from "./abstraction.ts";
export { type Bounds, NOTHING_SPENT, type Spent } from "./bounds.ts";
export { type Case, type CaseOptions, createCase, DEFAULT_CASES, RACE_CASE } from "./cases.ts";
export type { Coverage } from "./coverage.ts";
export { type Crash, reopenedAfter } from "./crash.ts";
export { crashesAt, eventsAt } from "./environment.ts";
export {
  DEFAULT_BOUNDS,
  type Exploration,
  type ExploreOptions,
  explore,
  MAX_STATES,
  PROGRESS,
  type Violation,
  type Visited,
} from "./exploration.ts";
export type { PathEvent } from "./graph.ts";
export { ALL_LAWS, type Law, type PathLaw, type PathMemory, type Step, type View } from "./laws/index.ts";
export {
  CommitMonitor,
  type LogViolation,
  messageLaws,
  monitorCommits,
  monitorConversation,
  monitorMessages,
  type RecordedBlock,
  type RecordedCommit,
  type RecordedEntry,
} from "./monitor/index.ts";
export type { Observations } from "./observations.ts";
export { formatRaces } from "./race-text.ts";
export { exploreRaces, type Race, type RaceMatrix, type RaceOptions, type RaceOutcome } from "./races.ts";
export { type FailedStep, type ReplayedStep, replay, violationsOn } from "./replay.ts";
export { formatSequence } from "./sequence.ts";
export {
  DEFAULT_FAULTS,
  NO_FAULTS,
  readsAllowed,
  SIMULATED_TOOLS,
  type SimulatedCall,
  type SimulatedFaults,
  type SimulatedPolicy,
  type SimulatedScript,
  type SimulatedTool,
  type SimulatedTurn,
  type SimulatedViolation,
  type SimulateOptions,
  type Simulation,
  SimulationError,
  type Soak,
  type SoakOptions,
  simulate,
  soak,
} from "./simulation/index.ts";
export {
  explorePair,
  PAIR_CASE,
  PAIR_LAWS,
  PAIR_PROGRESS,
  type Pair,
  type PairExploration,
  type PairLaw,
  type PairOptions,
  type PairRules,
  type PairStep,
} from "./subtasks/index.ts";
export { formatTestFile } from "./test-file.ts";
export { TOOLS } from "./tools.ts";
export { formatCrash, formatStep, formatTrace } from "./trace.ts";
export { firstView, reopenedView, viewAfter } from "./view.ts";
