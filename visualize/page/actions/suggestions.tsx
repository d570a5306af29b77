import { parseQuestion } from "../../../wire/descriptor.ts";
import type { AnswerBody } from "../../../wire/http/api.ts";
import { shortened } from "../text/printable.ts";

export interface SuggestionsProps {
  /** The text of the question's message. */
  readonly text: string;
  readonly isBusy: boolean;
  readonly onChoose: (answer: AnswerBody) => void;
}

const SUGGESTIONS_MAX = 6;
const SUGGESTION_MAX_CHARS = 80;

/** The answers that the model suggests, each with the mode that it switches to. */
export function Suggestions({ text, isBusy, onChoose }: SuggestionsProps) {
  const suggestions = parseQuestion(text).suggest.slice(0, SUGGESTIONS_MAX);
  if (suggestions.length === 0) return null;
  return (
    <div className="sb-choices">
      <fieldset className="sb-choice" disabled={isBusy} aria-label="Suggested answers">
        {suggestions.map(({ answer, mode }, index) => (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: suggestions are identified by position
            key={index}
            type="button"
            onClick={() => onChoose({ kind: "text", text: answer, ...(mode !== undefined && { mode }) })}
          >
            {shortened(answer, SUGGESTION_MAX_CHARS)}
            {mode !== undefined && <i> in mode {shortened(mode, 60)}</i>}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
