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
export type { Law, PathLaw, PathMemory, Step, View } from "./laws/law.ts";
export { ALL_LAWS } from "./laws/laws.ts";
export { CommitMonitor, monitorCommits, type RecordedCommit } from "./monitor/commits.ts";
export { monitorConversation, type RecordedBlock, type RecordedEntry } from "./monitor/conversation.ts";
export { messageLaws } from "./monitor/live.ts";
export { monitorMessages } from "./monitor/messages.ts";
export type { LogViolation } from "./monitor/violation.ts";
export type { Observations } from "./observations.ts";
export { formatRaces } from "./race-text.ts";
export { exploreRaces, type Race, type RaceMatrix, type RaceOptions, type RaceOutcome } from "./races.ts";
export { type FailedStep, type ReplayedStep, replay, violationsOn } from "./replay.ts";
export { formatSequence } from "./sequence.ts";
export { DEFAULT_FAULTS, NO_FAULTS, type SimulatedFaults } from "./simulation/faults.ts";
export { readsAllowed, type SimulatedPolicy, SimulationError } from "./simulation/policy.ts";
export {
  SIMULATED_TOOLS,
  type SimulatedCall,
  type SimulatedScript,
  type SimulatedTool,
  type SimulatedTurn,
} from "./simulation/script.ts";
export {
  type SimulatedViolation,
  type SimulateOptions,
  type Simulation,
  simulate,
} from "./simulation/simulation.ts";
export { type Soak, type SoakOptions, soak } from "./simulation/soak.ts";
export { PAIR_CASE } from "./subtasks/case.ts";
export { explorePair, type PairExploration, type PairOptions } from "./subtasks/exploration.ts";
export { PAIR_LAWS, PAIR_PROGRESS, type PairLaw, type PairStep } from "./subtasks/laws.ts";
export type { Pair, PairRules } from "./subtasks/pair.ts";
export { formatTestFile } from "./test-file.ts";
export { TOOLS } from "./tools.ts";
export { formatCrash, formatStep, formatTrace } from "./trace.ts";
export { firstView, reopenedView, viewAfter } from "./view.ts";
