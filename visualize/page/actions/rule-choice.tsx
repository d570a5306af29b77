import { printable } from "../text/printable.ts";

export interface RuleChoiceProps {
  /** The label of a yes. */
  readonly yes: string;
  /** The narrowest first. */
  readonly rules: readonly string[];
  readonly isBusy: boolean;
  readonly onChoose: (rule: string) => void;
}

/** The rules that would allow such calls from now on. Each is shown whole before it is sent: it approves the call as well. */
export function RuleChoice({ yes, rules, isBusy, onChoose }: RuleChoiceProps) {
  return (
    <fieldset className="sb-choice" disabled={isBusy}>
      <legend>{yes}, and allow such calls in this session:</legend>
      {rules.map((rule) => (
        <button key={rule} type="button" onClick={() => onChoose(rule)}>
          <code>{printable(rule)}</code>
        </button>
      ))}
    </fieldset>
  );
}
