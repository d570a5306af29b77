export { DEFAULT_FAULTS, NO_FAULTS, type SimulatedFaults } from "./faults.ts";
export { readsAllowed, type SimulatedPolicy, SimulationError } from "./policy.ts";
export {
  SIMULATED_TOOLS,
  type SimulatedCall,
  type SimulatedScript,
  type SimulatedTool,
  type SimulatedTurn,
} from "./script.ts";
export { type SimulatedViolation, type SimulateOptions, type Simulation, simulate } from "./simulation.ts";
export { type Soak, type SoakOptions, soak } from "./soak.ts";
