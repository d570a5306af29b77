import { isMissing, type PolicyEvent, type Variable, valuesOf } from "../../../tools/temporal/event.ts";
import type { Formula } from "../../../tools/temporal/formula.ts";
import { compilePattern, type Strictness } from "../../../tools/temporal/pattern.ts";

type Trace = readonly PolicyEvent[];

/** What a formula means at the event `at` of a whole trace, by recursion over the definition. */
export function holds(formula: Formula, trace: Trace, at: number): boolean {
  return meaning(formula, "must")(trace, at, undefined);
}

type Meaning = (trace: Trace, at: number, bound: string | undefined) => boolean;

const flip = (how: Strictness): Strictness => (how === "may" ? "must" : "may");
const upTo = (at: number): number[] => Array.from({ length: at + 1 }, (_, index) => index);

function meaning(formula: Formula, how: Strictness): Meaning {
  if ("not" in formula) {
    const inner = meaning(formula.not, flip(how));
    return (...args) => !inner(...args);
  }
  if ("and" in formula) {
    const inner = formula.and.map((one) => meaning(one, how));
    return (...args) => inner.every((one) => one(...args));
  }
  if ("or" in formula) {
    const inner = formula.or.map((one) => meaning(one, how));
    return (...args) => inner.some((one) => one(...args));
  }
  if ("implies" in formula) {
    const condition = meaning(formula.implies[0], flip(how));
    const then = meaning(formula.implies[1], how);
    return (...args) => !condition(...args) || then(...args);
  }
  if ("previous" in formula) {
    const inner = meaning(formula.previous, how);
    return (trace, at, bound) => at > 0 && inner(trace, at - 1, bound);
  }
  if ("once" in formula) {
    const inner = meaning(formula.once, how);
    return (trace, at, bound) => upTo(at).some((earlier) => inner(trace, earlier, bound));
  }
  if ("historically" in formula) {
    const inner = meaning(formula.historically, how);
    return (trace, at, bound) => upTo(at).every((earlier) => inner(trace, earlier, bound));
  }
  if ("since" in formula) {
    const of = meaning(formula.since[0], how);
    const from = meaning(formula.since[1], how);
    return (trace, at, bound) =>
      upTo(at).some(
        (start) =>
          from(trace, start, bound) &&
          upTo(at).every((between) => between <= start || of(trace, between, bound)),
      );
  }
  if ("atMost" in formula) {
    const { count, of } = formula.atMost;
    const inner = meaning(of, flip(how));
    return (trace, at, bound) => upTo(at).filter((one) => inner(trace, one, bound)).length <= count;
  }
  if ("each" in formula) {
    const { same, of } = formula.each;
    const inner = meaning(of, how);
    return (trace, at) => {
      const event = trace[at];
      // A call without the argument leads to a violation.
      if (event !== undefined && isMissing(event, same)) return how === "may";
      return valuesAt(trace, at, same).every((value) => inner(trace, at, value));
    };
  }
  const matches = compilePattern(formula, how);
  return (trace, at, bound) => {
    const event = trace[at];
    return event !== undefined && matches(event, bound);
  };
}

const valuesAt = (trace: Trace, at: number, variable: Variable): readonly string[] => {
  const event = trace[at];
  return event === undefined ? [] : valuesOf(event, variable);
};
