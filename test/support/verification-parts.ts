import { runJob } from "../../cli/verify/job.ts";
import { createReport } from "../../cli/verify/report.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { createCase } from "../../verify/cases.ts";
import { exploreRaces } from "../../verify/races.ts";

/** The parts of the verification of a small exploration, and of some of its pairs of racing events. */
export function verificationParts() {
  const one = createCase({ calls: 1, tools: ["read", "command"] });
  const job = { one, laws: undefined, maxStates: 400, policies: [], isEnforced: false };
  const explored = [runJob(job, () => {})];
  const report = createReport({
    cases: [one],
    explored,
    laws: undefined,
    policies: [],
    protocol: undefined,
    seconds: 1,
    trace: () => "",
  });
  const races = exploreRaces({ machine: taskMachine, laws: [], ...one, maxStates: 60 });
  return { report, explored, machine: taskMachine, races, trace: ({ what }: { what: string }) => what };
}
