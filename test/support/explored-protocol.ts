import type { Protocol } from "../../control/protocol.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { auditLaw, controlled } from "../../verify/controlled.ts";
import { ALL_LAWS, DEFAULT_CASES, type Exploration, explore } from "../../verify/index.ts";

/** The whole exploration of a task that a protocol controls, in the case of `signalbox verify --protocol`. */
export function explorationUnder(protocol: Protocol): Exploration {
  const one = DEFAULT_CASES.find(({ isControlled }) => isControlled === true);
  if (one === undefined) throw new Error("Expected a case of a controlled task, found none.");
  const audits = auditLaw(protocol);
  return explore({
    machine: taskMachine,
    laws: ALL_LAWS,
    pathLaws: audits === undefined ? [] : [audits],
    ...controlled(one, protocol),
  });
}
