export interface SkipToAnswerProps {
  /** Whether the page shows the answers to an open ask. */
  readonly hasAnswers: boolean;
  readonly onSkip: () => void;
}

/** The first stop of the Tab key while the task waits for an answer: it moves the focus to the answers. */
export function SkipToAnswer({ hasAnswers, onSkip }: SkipToAnswerProps) {
  if (!hasAnswers) return null;
  return (
    <button type="button" className="sb-skip" onClick={onSkip}>
      Go to the answer
    </button>
  );
}
