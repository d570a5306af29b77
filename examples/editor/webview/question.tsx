import type { ShownAsk } from "signalbox/react";

/** The open ask with its answers. The editor shows the diff of an edit. */
export function Question({ ask }: { readonly ask: ShownAsk }) {
  const { question, suggestions, yes, no } = ask;
  return (
    <section aria-label="Question">
      <p>{question}</p>
      {suggestions.map((suggestion) => (
        <button type="button" key={suggestion.answer} onClick={() => ask.choose(suggestion)}>
          {suggestion.answer}
        </button>
      ))}
      {yes && (
        <button type="button" onClick={() => ask.approve()}>
          {yes}
        </button>
      )}
      {no && (
        <button type="button" onClick={() => ask.reject()}>
          {no}
        </button>
      )}
    </section>
  );
}
