export { type JudgedCall, judgedCall } from "./call.ts";
export { deniedPath } from "./confinement.ts";
export { explainJudges, type JudgedExplanation } from "./explain.ts";
export { CONFINEMENT, type JudgeState, opinionsOf } from "./judges.ts";
