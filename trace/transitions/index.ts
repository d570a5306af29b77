export { microstepOf } from "./microstep.ts";
export {
  actionNames,
  type MachineTransition,
  machineTransitions,
  type StateNode,
  type StateTransition,
  statePathOf,
  transitionsOf,
  transitionTable,
} from "./transition-table.ts";
