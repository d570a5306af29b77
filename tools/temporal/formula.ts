import type { Effect, Outcome } from "../../machines/tool-call/call.ts";
import type { Author } from "../../machines/tool-call/control.ts";
import type { Approver, EventKind, Variable, VERDICTS } from "./event.ts";

/** A value, or several: one of them is enough. */
export type OneOf<T> = T | readonly T[];

/** A value of an argument. */
export type ArgumentValue = string | number | boolean;

/** The scores that are greater than one. */
export interface ScoreRange {
  /** From 0 to below 1. */
  readonly over: number;
}

/** A condition on one event. All of its fields must match; of a list, one value is enough. */
export interface EventPattern {
  /** Kind of the event. */
  readonly event?: OneOf<EventKind>;
  /** Canonical names of tools; a `*` at the end matches any rest. */
  readonly tool?: OneOf<string>;
  /** Effect of the tool. */
  readonly effect?: OneOf<Effect>;
  /** Globs of the paths that a call names, as in the rules of permissions. */
  readonly path?: OneOf<string>;
  /** Hosts that a call sends requests to, `*.` and a domain for the hosts below it, or `*`. */
  readonly host?: OneOf<string>;
  /** Words of one command of a command line, with `*` as the last word for any further ones. */
  readonly command?: OneOf<string>;
  /**
   * Texts, numbers and booleans by the name of an argument, with dots for a nested one; a `*` matches any characters. A
   * missing argument matches nothing.
   */
  readonly argument?: Readonly<Record<string, OneOf<ArgumentValue>>>;
  /** Outcome of the call, at `call.ended`. */
  readonly outcome?: OneOf<Outcome["kind"]>;
  /** Who permitted the call. */
  readonly by?: Approver;
  /** Verdict of the control protocol. */
  readonly verdict?: OneOf<(typeof VERDICTS)[number]>;
  /** The model that wrote what the control protocol judged. */
  readonly author?: Author;
  /** Scores by the name of a monitor, such as `{ trusted: { over: 0.8 } }`. A missing score matches nothing. */
  readonly score?: Readonly<Record<string, ScoreRange>>;
  /** Slugs of the new mode, at `mode`. */
  readonly mode?: OneOf<string>;
  /** Within `each`: the variable whose bound value the event has. */
  readonly same?: Variable;
}

/**
 * A formula of past-time logic, evaluated at each event over the events up to it. It is plain data, as a policy file has
 * it.
 */
export type Formula =
  | EventPattern
  | { readonly not: Formula }
  | { readonly and: readonly Formula[] }
  | { readonly or: readonly Formula[] }
  | { readonly implies: readonly [Formula, Formula] }
  | { readonly previous: Formula }
  | { readonly once: Formula }
  | { readonly historically: Formula }
  | { readonly since: readonly [Formula, Formula] }
  | { readonly atMost: { readonly count: number; readonly of: Formula } }
  | { readonly each: { readonly same: Variable; readonly of: Formula } };

/** Holds at an event that matches the pattern. */
export const event = (pattern: EventPattern): Formula => pattern;
/** Holds where the formula does not. */
export const not = (formula: Formula): Formula => ({ not: formula });
/** Holds where all formulas hold. */
export const and = (...formulas: readonly Formula[]): Formula => ({ and: formulas });
/** Holds where one of the formulas holds. */
export const or = (...formulas: readonly Formula[]): Formula => ({ or: formulas });
/** Holds where the first formula does not hold, or the second does. */
export const implies = (condition: Formula, then: Formula): Formula => ({ implies: [condition, then] });
/** Holds where the formula held at the event before; at the first event it does not hold. */
export const previous = (formula: Formula): Formula => ({ previous: formula });
/** Holds where the formula holds now or held at an earlier event. */
export const once = (formula: Formula): Formula => ({ once: formula });
/** Holds where the formula holds now and held at all earlier events. */
export const historically = (formula: Formula): Formula => ({ historically: formula });
/** Holds where `from` holds now or held at an earlier event, and the formula at all events after that. */
export const since = (formula: Formula, from: Formula): Formula => ({ since: [formula, from] });
/** Holds where the formula has held at this many events or fewer, this one included. */
export const atMost = (count: number, formula: Formula): Formula => ({ atMost: { count, of: formula } });
/**
 * Holds where the formula holds for each path, host or tool of the event, or each value of an argument of the call, such as
 * `argument.customer`. It does not hold for a call without the argument. In it, a pattern with `same` matches the events
 * that have the same one.
 *
 * @example
 * ```ts
 * import { each, event, implies, not, previous, since } from "signalbox/temporal";
 * const write = { event: "call.started", effect: "writes" } as const;
 * const readSince = since(
 *   not(event({ ...write, same: "path" })),
 *   event({ event: "call.ended", effect: "reads", same: "path" }),
 * );
 * // A file is read again before each further write of it.
 * const formula = implies(event(write), each("path", previous(readSince)));
 * ```
 */
export const each = (variable: Variable, formula: Formula): Formula => ({
  each: { same: variable, of: formula },
});
