import { useEffect, useState } from "react";
import { type ExtensionClient, formatMessage } from "signalbox/client";
import { type TaskSource, type UsedTask, useTask } from "signalbox/react";
import { Question } from "./question.tsx";

interface Props {
  readonly client: ExtensionClient;
  readonly source: TaskSource;
}

export function Chat({ client, source }: Props) {
  const { messages, state, ask, queue, send, cancel } = useTask(source);
  const [problem, setProblem] = useState("");
  // A refusal arrives after its action was sent.
  useEffect(() => client.on("error", ({ message }) => setProblem(message)), [client]);
  const onText = (text: string) => {
    setProblem("");
    void (ask ? ask.answer(text) : send(text));
  };
  return (
    <main>
      <ol>
        {messages.map((message) => (
          <li key={message.ts} className={message.say ?? message.ask ?? ""}>
            {textOf(message)}
          </li>
        ))}
        {queue.map(({ id, text }) => (
          <li key={id} className="queued">
            {text}
          </li>
        ))}
      </ol>
      <p role="status">{state.description}</p>
      {problem && <p role="alert">{problem}</p>}
      {ask && <Question ask={ask} key={ask.id} />}
      {state.isRunning && (
        <button type="button" onClick={() => cancel()}>
          Stop
        </button>
      )}
      <Entry onText={onText} />
    </main>
  );
}

/** The text of a message, if it is shown. */
const textOf = (message: UsedTask["messages"][number]) =>
  message.say === "user_feedback" ? message.text : formatMessage(message)?.text;

function Entry({ onText }: { readonly onText: (text: string) => void }) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onText(String(new FormData(event.currentTarget).get("text")));
        event.currentTarget.reset();
      }}
    >
      <input name="text" aria-label="Message" autoComplete="off" required />
    </form>
  );
}
