export { abstractionOf } from "./abstraction.ts";
export { type Case, type CaseOptions, caseOf, DEFAULT_CASES, RACE_CASE } from "./cases.ts";
export type { Coverage } from "./coverage.ts";
export { type Crash, pastOf } from "./crash.ts";
export { type Bounds, crashesAt, eventsAt, NOTHING_SPENT, type Spent, TOOLS } from "./environment.ts";
export {
  DEFAULT_BOUNDS,
  type Exploration,
  type ExploreOptions,
  explore,
  MAX_STATES,
  PROGRESS,
  type Violation,
  type Visited,
} from "./explore.ts";
export type { Happening } from "./graph.ts";
export { brokenOn } from "./hold.ts";
export { ALL_LAWS, type Law, type Step, type View } from "./laws/index.ts";
export type { Life } from "./life.ts";
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
export { pathOf } from "./path-of.ts";
export { raceText } from "./race-text.ts";
export { type Race, type RaceEnd, type RaceMatrix, type RaceOptions, racesOf } from "./races.ts";
export { type Broken, type Played, replay } from "./replay.ts";
export { sequenceOf } from "./sequence.ts";
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
} from "./simulate/index.ts";
export { testFileOf } from "./test-file.ts";
export { traceCrash, traceOf, traceStep } from "./trace.ts";
export { firstView, viewAfter, viewOfPast } from "./view.ts";
