import type { PolicyEvent } from "./event.ts";
import { type BrokenClause, formatBrokenClause, type PolicyVerdict, type TemporalPolicy } from "./policy.ts";
import { argumentsIn, COMPILE_LIMITS, type CompileLimits, compileFormulas, type Program } from "./program.ts";
import { groundsOf } from "./reason.ts";
import {
  advance,
  copyState,
  firstState,
  keyOf,
  MONITOR_LIMITS,
  type MonitorLimits,
  type ProgramState,
} from "./state.ts";

/** Limits of compiled policies. */
export type TemporalLimits = CompileLimits & MonitorLimits;

/** Policies that are compiled, for any number of tasks. */
export interface CompiledPolicies {
  readonly policies: readonly TemporalPolicy[];
  /** The names of the arguments whose values they compare. */
  readonly arguments: readonly string[];
  /** A monitor of a task without events. */
  start(): PolicyMonitor;
}

/** A monitor's parts that its copies share. */
interface Monitored {
  readonly program: Program;
  readonly clauses: readonly { readonly policy: string; readonly clause: string }[];
  readonly limits: MonitorLimits;
}

/**
 * Compile policies to a monitor of constant cost per event.
 *
 * @throws TemporalError `POLICY_INVALID`, `POLICY_LIMIT`
 * @example
 * ```ts
 * import { compilePolicies, event, implies, not, once } from "signalbox/temporal";
 * const policy = {
 *   name: "no-network-after-secret",
 *   clauses: [{
 *     name: "no fetch",
 *     always: implies(
 *       event({ event: "call.started", host: "*" }),
 *       not(once(event({ event: "call.ended", path: ".env" }))),
 *     ),
 *   }],
 * };
 * const monitor = compilePolicies([policy]).start();
 * monitor.add({ kind: "call.ended", tool: "read_file", effect: "reads", paths: [".env"], outcome: "done" });
 * monitor.add({ kind: "call.started", tool: "web_fetch", effect: "reads", hosts: ["example.com"] });
 * console.log(monitor.verdict.broken[0]?.clause, monitor.verdict.broken[0]?.since); // no fetch [ 0 ]
 * ```
 */
export function compilePolicies(
  policies: readonly TemporalPolicy[],
  { formulas = COMPILE_LIMITS.formulas, values = MONITOR_LIMITS.values }: Partial<TemporalLimits> = {},
): CompiledPolicies {
  const clauses = policies.flatMap(({ name, clauses }) =>
    clauses.map((clause) => ({ policy: name, clause: clause.name, always: clause.always })),
  );
  const program = compileFormulas(
    clauses.map(({ always }) => always),
    { formulas },
  );
  const monitored = { program, clauses, limits: { values } };
  const start = () => new PolicyMonitor(monitored, firstState(program), 0);
  return { policies, arguments: argumentsIn(program), start };
}

/** Follows the events of one task, and says which clauses do not hold at the latest one. */
export class PolicyMonitor {
  readonly #monitored: Monitored;
  readonly #state: ProgramState;
  #length: number;

  /** Used by `compilePolicies` only. */
  constructor(monitored: Monitored, state: ProgramState, length: number) {
    this.#monitored = monitored;
    this.#state = state;
    this.#length = length;
  }

  /** Number of events so far. */
  get length(): number {
    return this.#length;
  }

  /** Add the next event. */
  add(event: PolicyEvent): void {
    const { program, limits } = this.#monitored;
    advance(program, this.#state, { event, position: this.#length, bound: undefined, limits });
    this.#length += 1;
  }

  /** A monitor with the same past, for events that may not happen. */
  copy(): PolicyMonitor {
    return new PolicyMonitor(this.#monitored, copyState(this.#state), this.#length);
  }

  /** A text that two monitors of the same policies share only if they judge all later events alike. */
  get key(): string {
    return keyOf(this.#monitored.program, this.#state);
  }

  /** The verdict if this event were the next one. */
  judge(event: PolicyEvent): PolicyVerdict {
    const next = this.copy();
    next.add(event);
    return next.verdict;
  }

  /** The verdict about the latest event. Before the first one everything holds. */
  get verdict(): PolicyVerdict {
    const { program, clauses } = this.#monitored;
    if (this.#length === 0) return { holds: true, broken: [] };
    const broken = clauses.flatMap(({ policy, clause }, index): BrokenClause[] => {
      const root = program.roots[index] ?? 0;
      if (this.#state.now[root] === true) return [];
      const { since, values, isBeyondLimit } = groundsOf(program, this.#state, root);
      const at = this.#length - 1;
      return [
        {
          policy,
          clause,
          at,
          since: [...since].filter((position) => position < at).sort((a, b) => a - b),
          values: [...values],
          ...(isBeyondLimit && { limit: "values" }),
        },
      ];
    });
    return { holds: broken.length === 0, broken };
  }

  /** The verdict as text; undefined where everything holds. */
  get reason(): string | undefined {
    const { broken } = this.verdict;
    return broken.length === 0 ? undefined : broken.map((each) => formatBrokenClause(each)).join("; ");
  }
}
