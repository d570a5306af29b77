import { type FormEvent, useState } from "react";
import type { AnswerBody } from "../../../../wire/http/api.ts";
import { Suggestions } from "../../actions/suggestions.tsx";

export interface RowQuestionProps {
  /** The text of the question's message. */
  readonly text: string;
  readonly isBusy: boolean;
  readonly onAnswer: (answer: AnswerBody) => void;
}

/** The answers to a question of the model: its suggestions, and a field for another answer. */
export function RowQuestion({ text, isBusy, onAnswer }: RowQuestionProps) {
  const [typed, setTyped] = useState("");
  const answer = typed.trim();
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (answer !== "") onAnswer({ kind: "text", text: answer });
  };
  return (
    <>
      <Suggestions text={text} isBusy={isBusy} onChoose={onAnswer} />
      <form className="sb-row-question" onSubmit={send}>
        <input
          value={typed}
          aria-label="Your answer"
          placeholder="Your answer"
          onChange={({ target }) => setTyped(target.value)}
        />
        <button type="submit" disabled={isBusy || answer === ""}>
          Send
        </button>
      </form>
    </>
  );
}
