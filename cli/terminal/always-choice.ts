import { printable } from "../../client/printable/printable.ts";
import type { Choice } from "./input/choice-menu.ts";

/** Where a rule is kept. */
export type RulePlace = "session" | "project";

/** The effect of a line: a rule was selected, or is to be kept, or the first question is asked again. */
export type ChoiceReaction =
  | { readonly kind: "selected" }
  | { readonly kind: "chosen"; readonly rule: string; readonly place: RulePlace }
  | { readonly kind: "back" };

const PLACES: Readonly<Record<string, RulePlace>> = { s: "session", p: "project" };

/** The choice of a rule that allows such calls from now on. It is shown before it is kept anywhere. */
export class AlwaysChoice {
  readonly #rules: readonly [string, ...string[]];
  #selected: string;

  /** @param rules the narrowest first, which is selected */
  constructor(rules: readonly [string, ...string[]]) {
    this.#rules = rules;
    this.#selected = rules[0];
  }

  /** The rules to choose from; none if there is only one. */
  get lines(): readonly string[] {
    if (this.#rules.length === 1) return [];
    return this.#rules.map(
      (rule, at) => `${rule === this.#selected ? ">" : " "} ${at + 1}. ${printable(rule)}`,
    );
  }

  get question(): string {
    const others = this.#rules.length === 1 ? "" : ", a number for another rule";
    return `Always allow ${printable(this.#selected)}? s: in this session, p: in the project's settings${others}, anything else: back: `;
  }

  /** The answers to the question that can be chosen. */
  get choices(): readonly Choice[] {
    const others = this.#rules
      .map((rule, at) => ({ rule, line: String(at + 1) }))
      .filter(({ rule }) => rule !== this.#selected);
    return [
      { line: "s", row: "s  In this session" },
      { line: "p", row: "p  In the project's settings" },
      ...others.map(({ rule, line }) => ({ line, row: `${line}  Select ${printable(rule)}` })),
      { line: "n", row: "n  Back" },
    ];
  }

  read(line: string): ChoiceReaction {
    const text = line.trim().toLowerCase();
    const place = Object.hasOwn(PLACES, text) ? PLACES[text] : undefined;
    if (place !== undefined) return { kind: "chosen", rule: this.#selected, place };
    const rule = /^\d{1,2}$/.test(text) ? this.#rules[Number(text) - 1] : undefined;
    if (rule === undefined) return { kind: "back" };
    this.#selected = rule;
    return { kind: "selected" };
  }
}
