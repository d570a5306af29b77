import { useEffect, useRef, useState } from "react";
import { parseJson } from "../../../../machines/message/json.ts";
import type { Explanation, SupposedEvent } from "../../../../wire/http/explanation.ts";
import { errorText } from "../../model/format.ts";
import { CandidateTable } from "./candidate-table.tsx";
import { Changes } from "./changes.tsx";
import { eventLabel } from "./event-label.ts";
import { type Send, sentEvent } from "./sent-event.ts";
import type { Next } from "./use-explanation.ts";

export interface SuppositionProps extends Next {
  /** Create a task from the records up to this event, and send it an event. Absent where it can't be done. */
  readonly onFork: ((send?: Send) => void) | undefined;
}

interface Supposed {
  readonly explanation: Explanation;
  /** How a person can do it. Undefined: not by this page. */
  readonly send: Send | undefined;
}

/** Asks for the effects that another event would have after this one. The answer describes them, and nothing happens. */
export function Supposition({ events, suppose, onFork }: SuppositionProps) {
  const [text, setText] = useState("");
  const [answer, setAnswer] = useState<Supposed | string | undefined>(undefined);
  const supposed = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (answer !== undefined) supposed.current?.scrollIntoView({ block: "nearest" });
  }, [answer]);
  const ask = async (event: SupposedEvent | undefined): Promise<void> => {
    if (event === undefined) return setAnswer('Expected an event as JSON: an object with a "type".');
    try {
      const explanation = await suppose(event);
      setAnswer(explanation === null ? undefined : { explanation, send: sentEvent(event, explanation) });
    } catch (error) {
      setAnswer(errorText(error));
    }
  };
  const choose = (event: SupposedEvent): void => {
    setText(JSON.stringify(event, null, 2));
    void ask(event);
  };
  return (
    <section className="why-if" aria-label="Suppose">
      <h3>Suppose another event</h3>
      <div className="why-choices">
        {events.map((event) => (
          <button key={JSON.stringify(event)} type="button" onClick={() => choose(event)}>
            {eventLabel(event)}
          </button>
        ))}
      </div>
      <details>
        <summary>The event as JSON</summary>
        <textarea
          aria-label="Event as JSON"
          rows={6}
          value={text}
          spellCheck={false}
          onChange={({ target }) => setText(target.value)}
        />
        <button type="button" onClick={() => void ask(eventIn(text))}>
          Suppose it
        </button>
      </details>
      <div ref={supposed} aria-live="polite" className="why-supposed" hidden={answer === undefined}>
        {typeof answer === "string" && <p className="why-broken">{answer}</p>}
        {typeof answer === "object" && (
          <>
            <h4>Then (nothing of this has happened)</h4>
            <Changes explanation={answer.explanation} />
            {answer.explanation.steps.map((step, position) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: steps are identified by position
              <CandidateTable key={position} step={step} event={answer.explanation.event} />
            ))}
            {onFork !== undefined && (
              <button type="button" onClick={() => onFork(answer.send)}>
                {answer.send === undefined ? "Fork here" : "Fork and do it"}
              </button>
            )}
          </>
        )}
      </div>
    </section>
  );
}

function eventIn(text: string): SupposedEvent | undefined {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || !("type" in value)) return undefined;
  return typeof value.type === "string" ? { ...value, type: value.type } : undefined;
}
