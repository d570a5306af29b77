import type { Input, Verdict } from "../../machines/tool-call/index.ts";
import type { SimulatedTool } from "./script.ts";

/**
 * Who may do what. A `Policy` of the host fits as it is, if it answers at once: a simulation waits for nobody
 * but its own clock.
 */
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

/** Looking is allowed, all else is asked. */
export const readsAllowed: SimulatedPolicy = ({ tool }) =>
  tool.effect === "reads" ? { kind: "allow", rule: "reads" } : { kind: "ask" };

/** What was given to a simulation can't be simulated. The message says what to give. */
export class SimulationError extends Error {
  /** A number is out of range, or a policy returns a promise. Pass what the message names. */
  readonly code = "SIMULATION";

  constructor(message: string) {
    super(message);
    this.name = "SimulationError";
  }
}

/** The verdict on a call. @throws SimulationError for a policy that answers later */
export function judge(policy: SimulatedPolicy, tool: SimulatedTool, input: Input): Verdict {
  const description = { text: tool.name, paths: [], ...(tool.group === "command" && { command: "make" }) };
  const verdict = policy({ tool, input }, { workspace: "/simulated", description });
  if (!(verdict instanceof Promise)) return verdict;
  throw new SimulationError(
    `The policy answered the call of ${tool.name} with a promise, expected a verdict at once. Give simulate a policy that waits for nothing.`,
  );
}
