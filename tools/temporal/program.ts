import { TemporalError } from "./error.ts";
import { argumentOf, type Variable } from "./event.ts";
import type { EventPattern, Formula } from "./formula.ts";
import { compilePattern, type Matcher, type Strictness } from "./pattern.ts";

/** One subformula. Its operands are the positions of earlier ones. */
export type Instruction =
  | {
      readonly op: "event";
      readonly pattern: EventPattern;
      readonly how: Strictness;
      readonly matches: Matcher;
    }
  | { readonly op: "not" | "previous" | "once" | "historically"; readonly of: number }
  | { readonly op: "and" | "or"; readonly of: readonly number[] }
  | { readonly op: "since"; readonly of: number; readonly from: number }
  | { readonly op: "atMost"; readonly of: number; readonly count: number }
  | {
      readonly op: "each";
      readonly variable: Variable;
      readonly body: Program;
      /** Its value once a value is not remembered, or where an argument is missing: the one that leads to a violation. */
      readonly beyondLimit: boolean;
    };

/** Compiled formulas: each subformula once, operands first. */
export interface Program {
  readonly instructions: readonly Instruction[];
  /** Positions of the formulas. */
  readonly roots: readonly number[];
}

/** Limits of the compiler. */
export interface CompileLimits {
  /** Maximum subformulas of all policies. Default 2,000. */
  readonly formulas: number;
}

export const COMPILE_LIMITS: CompileLimits = { formulas: 2_000 };

/**
 * Compile formulas that must hold.
 *
 * @throws TemporalError `POLICY_INVALID`, `POLICY_LIMIT`
 */
export function compileFormulas(
  formulas: readonly Formula[],
  limits: CompileLimits = COMPILE_LIMITS,
): Program {
  return new Compiler({ left: limits.formulas, limits }).compile(formulas, "must");
}

interface Allowance {
  left: number;
  readonly limits: CompileLimits;
}

const OPPOSITE = { may: "must", must: "may" } as const satisfies Record<Strictness, Strictness>;

class Compiler {
  readonly #instructions: Instruction[] = [];
  readonly #known = new Map<string, number>();
  readonly #allowance: Allowance;
  readonly #bound: Variable | undefined;

  constructor(allowance: Allowance, bound?: Variable) {
    this.#allowance = allowance;
    this.#bound = bound;
  }

  compile(formulas: readonly Formula[], how: Strictness): Program {
    const roots = formulas.map((formula) => this.#add(formula, how));
    return { instructions: this.#instructions, roots };
  }

  /** The position of a subformula. An equal one is compiled once. */
  #add(formula: Formula, how: Strictness): number {
    const key = `${how} ${JSON.stringify(formula)}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { limits } = this.#allowance;
    this.#allowance.left -= 1;
    if (this.#allowance.left < 0)
      throw new TemporalError(
        "POLICY_LIMIT",
        `expected at most ${limits.formulas} subformulas, received more. Shorten the policies, or raise the limit formulas.`,
      );
    const instruction = this.#instructionOf(formula, how);
    const position = this.#instructions.push(instruction) - 1;
    this.#known.set(key, position);
    return position;
  }

  #instructionOf(formula: Formula, how: Strictness): Instruction {
    if ("not" in formula) return { op: "not", of: this.#add(formula.not, OPPOSITE[how]) };
    if ("and" in formula) return { op: "and", of: formula.and.map((each) => this.#add(each, how)) };
    if ("or" in formula) return { op: "or", of: formula.or.map((each) => this.#add(each, how)) };
    if ("implies" in formula) {
      const [condition, then] = formula.implies;
      return { op: "or", of: [this.#add({ not: condition }, how), this.#add(then, how)] };
    }
    if ("previous" in formula) return { op: "previous", of: this.#add(formula.previous, how) };
    if ("once" in formula) return { op: "once", of: this.#add(formula.once, how) };
    if ("historically" in formula) return { op: "historically", of: this.#add(formula.historically, how) };
    if ("since" in formula) {
      const [of, from] = formula.since;
      return { op: "since", of: this.#add(of, how), from: this.#add(from, how) };
    }
    if ("atMost" in formula) {
      const { count, of } = formula.atMost;
      return { op: "atMost", count, of: this.#add(of, OPPOSITE[how]) };
    }
    if ("each" in formula) return this.#eachOf(formula.each, how);
    this.#assertBound(formula.same);
    return { op: "event", pattern: formula, how, matches: compilePattern(formula, how) };
  }

  #eachOf({ same, of }: Extract<Formula, { each: unknown }>["each"], how: Strictness): Instruction {
    if (this.#bound !== undefined)
      throw new TemporalError(
        "POLICY_INVALID",
        "expected no each within each, received one. Use one of them.",
      );
    const body = new Compiler(this.#allowance, same).compile([of], how);
    return { op: "each", variable: same, body, beyondLimit: how === "may" };
  }

  #assertBound(same: Variable | undefined): void {
    if (same === undefined || same === this.#bound) return;
    throw new TemporalError(
      "POLICY_INVALID",
      `expected same: ${same} within each of the same variable, received ${this.#bound ?? "none"}. Enclose it in each.`,
    );
  }
}

/** The patterns of events in the formulas, also in the bodies of `each`. */
export const patternsIn = ({ instructions }: Program): readonly EventPattern[] =>
  instructions.flatMap((one) => {
    if (one.op === "event") return [one.pattern];
    return one.op === "each" ? [{ same: one.variable }, ...patternsIn(one.body)] : [];
  });

/** The names of the arguments whose values the formulas compare. */
export const argumentsIn = (program: Program): readonly string[] => [
  ...new Set(
    patternsIn(program).flatMap(({ same, argument = {} }) => {
      const bound = same === undefined ? undefined : argumentOf(same);
      return [...(bound === undefined ? [] : [bound]), ...Object.keys(argument)];
    }),
  ),
];
