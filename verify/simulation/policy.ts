import { SignalboxError } from "../../machines/signalbox-error.ts";
import type { Input, Verdict } from "../../machines/tool-call/call.ts";
import type { SimulatedTool } from "./script.ts";

/** A synchronous `Policy`: the simulation waits only for its own clock. A policy that returns a promise is rejected. */
export type SimulatedPolicy = (
  call: { readonly tool: Pick<SimulatedTool, "name" | "group" | "effect" | "ask">; readonly input: Input },
  facts: {
    readonly workspace: string;
    readonly description: {
      readonly text: string;
      readonly paths: readonly never[];
      readonly command?: string;
    };
    readonly subtask?: boolean;
  },
) => Verdict | Promise<Verdict>;

/** Allow reads; ask for everything else. */
export const readsAllowed: SimulatedPolicy = ({ tool }) =>
  tool.effect === "reads" ? { kind: "allow", rule: "reads" } : { kind: "ask" };

/** Invalid option of a simulation. */
export class SimulationError extends SignalboxError {
  /** A number is out of range, or a policy returns a promise. Pass what the message names. */
  readonly code = "SIMULATION";

  constructor(message: string) {
    super(message);
    this.name = "SimulationError";
  }
}

/** Ask the policy about a call. @throws SimulationError for a promise */
export function verdictOf(policy: SimulatedPolicy, tool: SimulatedTool, input: Input): Verdict {
  const description = { text: tool.name, paths: [], ...(tool.group === "command" && { command: "make" }) };
  const verdict = policy({ tool, input }, { workspace: "/simulated", description });
  if (!(verdict instanceof Promise)) return verdict;
  throw new SimulationError(
    `Expected a verdict for ${tool.name}, the policy returned a promise. Pass a synchronous policy.`,
  );
}
