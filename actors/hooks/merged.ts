import type { HookText, HookVerdict } from "../../machines/tool-call/hooks.ts";
import type { Hook, HookInput } from "../../tools/hook.ts";
import type { CheckedDecision } from "./decision.ts";

type Verdict<K extends HookVerdict["kind"]> = Extract<HookVerdict, { kind: K }>;

/** The replacement of a result by one more hook. The original is kept only if each of them keeps it. */
const mergedReplacement = (
  before: Verdict<"replace"> | undefined,
  hook: string,
  text: string,
  keepOriginal: boolean,
): Verdict<"replace"> => ({
  kind: "replace",
  hooks: [...(before?.hooks ?? []), hook],
  text,
  ...(keepOriginal && (before === undefined || before.keepsOriginal) && { keepsOriginal: true }),
});

/** The decisions of several hooks together: deny comes before ask, amend, replace and allow. */
export class MergedDecisions {
  readonly texts: HookText[] = [];
  #denial: Verdict<"deny"> | undefined;
  #ask: Verdict<"ask"> | undefined;
  #amendment: Verdict<"amend"> | undefined;
  #replacement: Verdict<"replace"> | undefined;

  /** Add the decision of the next hook. Returns whether another one can change the verdict. */
  add(
    { name: hook, keepOriginal = false }: Pick<Hook, "name" | "keepOriginal">,
    decision: CheckedDecision,
  ): boolean {
    if (decision.context !== undefined) this.texts.push({ hook, text: decision.context });
    switch (decision.kind) {
      case "deny":
        return this.deny(hook, decision.reason);
      case "ask":
        this.#ask ??= { kind: "ask", hook, reason: decision.reason };
        return true;
      case "amend":
        if (this.#amendment !== undefined)
          return this.deny(
            hook,
            `the hook "${this.#amendment.hook}" also amends the arguments: expected one.`,
          );
        this.#amendment = { kind: "amend", hook, input: decision.input };
        return true;
      case "replace":
        this.#replacement = mergedReplacement(this.#replacement, hook, decision.text, keepOriginal);
        return true;
      case "allow":
        return true;
    }
  }

  /** The result that the next hook sees, with the replacements of earlier hooks. */
  seen(input: HookInput): HookInput {
    if (this.#replacement === undefined || (input.point !== "afterTool" && input.point !== "afterWrite"))
      return input;
    return { ...input, result: { ...input.result, text: this.#replacement.text } };
  }

  deny(hook: string, reason: string): false {
    this.#denial ??= { kind: "deny", hook, reason };
    return false;
  }

  get verdict(): HookVerdict {
    return (
      this.#denial ?? this.#askAboutAmendment() ?? this.#amendment ?? this.#replacement ?? { kind: "allow" }
    );
  }

  /** The person decides about the arguments as they are, and reads that a hook would replace them. */
  #askAboutAmendment(): Verdict<"ask"> | undefined {
    const [ask, amendment] = [this.#ask, this.#amendment];
    if (ask === undefined || amendment === undefined) return ask;
    const note = `The hook "${amendment.hook}" would replace the arguments; they are not replaced.`;
    return { ...ask, reason: `${ask.reason} ${note}` };
  }
}
