import { useState } from "react";
import type { OpenAskInfo } from "../../../wire/http/api.ts";
import { answerWords } from "./answer-words.ts";
import { RuleChoice } from "./rule-choice.tsx";

export interface AskButtonsProps {
  readonly ask: OpenAskInfo;
  /** The code of the error that led to the ask. */
  readonly errorCode: string | undefined;
  readonly isBusy: boolean;
  readonly onAnswer: (
    answer: { readonly kind: "yes"; readonly rule?: string } | { readonly kind: "no" },
  ) => void;
  /** Moves a running command to the background, or aborts it. */
  readonly onCommand: (action: "proceed" | "abort") => void;
  /** Opens the editor of the proposal. Absent: it can't be edited here. */
  readonly onEdit?: () => void;
}

/** The answers to an ask that need no text. */
export function AskButtons({ ask, errorCode, isBusy, onAnswer, onCommand, onEdit }: AskButtonsProps) {
  /** The ask whose rules are shown. */
  const [choosingFor, setChoosingFor] = useState<number>();
  const { askId, kind, accepts, rules = [] } = ask;
  const { yes, no, isFinal } = answerWords(ask, errorCode);
  const button = (name: string, className: string, act: () => void) => (
    <button type="button" className={className} disabled={isBusy} onClick={act}>
      {name}
    </button>
  );
  if (kind === "command_output")
    return (
      <>
        {button(yes, "sb-main", () => onCommand("proceed"))}
        {button(no, "sb-reject", () => onCommand("abort"))}
      </>
    );
  const isChoosing = choosingFor === askId;
  return (
    <>
      {accepts.includes("yes") && !isFinal && button(yes, "sb-main", () => onAnswer({ kind: "yes" }))}
      {ask.proposal !== undefined && onEdit !== undefined && button("Edit …", "", onEdit)}
      {rules.length > 0 && (
        <button
          type="button"
          disabled={isBusy}
          aria-expanded={isChoosing}
          onClick={() => setChoosingFor(isChoosing ? undefined : askId)}
        >
          Always …
        </button>
      )}
      {accepts.includes("no") && button(no, "sb-reject", () => onAnswer({ kind: "no" }))}
      {rules.length > 0 && isChoosing && (
        <RuleChoice
          yes={yes}
          rules={rules}
          isBusy={isBusy}
          onChoose={(rule) => onAnswer({ kind: "yes", rule })}
        />
      )}
    </>
  );
}
