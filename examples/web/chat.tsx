// A chat with a task of the server that serves this page.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { type ActionResult, type ShownAsk, serverSource, type TaskSource, useTask } from "signalbox/react";

function Chat({ source }: { readonly source: TaskSource }) {
  const { messages, state, ask, queue, send, cancel } = useTask(source);
  const [refusal, setRefusal] = useState("");
  // A refused message stays in its field.
  const act = async (action: Promise<ActionResult>): Promise<boolean> => {
    const result = await action;
    setRefusal(result.ok ? "" : result.message);
    return result.ok;
  };
  return (
    <main>
      <ol>
        {messages.map(({ ts, say, ask: asks, text }) => (
          <li key={ts} className={say ?? asks ?? ""}>
            {text}
          </li>
        ))}
        {queue.map(({ id, text }) => (
          <li key={id} className="queued">
            {text}
          </li>
        ))}
      </ol>
      <p role="status">{state.description}</p>
      {refusal && <p role="alert">{refusal}</p>}
      {ask && <Question ask={ask} act={act} key={ask.id} />}
      {state.isRunning && (
        <button type="button" onClick={() => act(cancel())}>
          Stop
        </button>
      )}
      <Entry label="Message" onText={(text) => act(ask ? ask.answer(text) : send(text))} />
    </main>
  );
}

type Act = (action: Promise<ActionResult>) => Promise<boolean>;

function Question({ ask, act }: { readonly ask: ShownAsk; readonly act: Act }) {
  const { question, suggestions, diff, yes, no } = ask;
  return (
    <section aria-label="Question">
      <p>{question}</p>
      {diff && <pre>{diff}</pre>}
      {suggestions.map((suggestion) => (
        <button type="button" key={suggestion.answer} onClick={() => act(ask.choose(suggestion))}>
          {suggestion.answer}
        </button>
      ))}
      {yes && (
        <button type="button" onClick={() => act(ask.approve())}>
          {yes}
        </button>
      )}
      {no && (
        <button type="button" onClick={() => act(ask.reject())}>
          {no}
        </button>
      )}
    </section>
  );
}

function Entry({ label, onText }: { readonly label: string; readonly onText: (text: string) => Promise<boolean> }) {
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault();
        const form = event.currentTarget;
        if (await onText(String(new FormData(form).get("text")))) form.reset();
      }}
    >
      <input name="text" aria-label={label} autoComplete="off" required />
    </form>
  );
}

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** Exchanges the token of the address for a cookie. */
async function startSession(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token !== null) await post("/api/session", { token });
}

const session = startSession();

/** Creates the task with the first message. */
function App() {
  const [source, setSource] = useState<TaskSource>();
  if (source !== undefined) return <Chat source={source} />;
  const start = async (prompt: string): Promise<boolean> => {
    await session;
    const { id } = await (await post("/api/tasks", { prompt })).json();
    setSource(serverSource({ baseUrl: "/", taskId: id }));
    return true;
  };
  return <Entry label="A new task" onText={start} />;
}

const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<App />);
