import { type FormEvent, useState } from "react";
import type { Moment } from "../../../trace/index.ts";
import type { AnswerBody, OpenAskCard } from "../../../wire/index.ts";
import type { TaskActions } from "../source.ts";

export interface ActBarProps {
  readonly taskId: string;
  readonly moment: Moment;
  readonly asks: readonly OpenAskCard[];
  /** Whether the page shows the newest event: only there something can be done. */
  readonly isAtEnd: boolean;
  /** Whether the source has the task open. */
  readonly isOpen: boolean;
  readonly actions: TaskActions;
  /** Tells what went wrong, in words for people; empty: nothing any more. */
  readonly onProblem: (words: string) => void;
  readonly onOpened: (taskId: string) => void;
  readonly onLive: () => void;
}

/** What a person can do now: answer the open ask, say something, cancel, or go on from a place before. */
export function ActBar(props: ActBarProps) {
  const { taskId, moment, asks, isAtEnd, isOpen, actions, onProblem, onOpened, onLive } = props;
  const [text, setText] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [ask] = asks;

  const act = (what: () => Promise<unknown>): void => {
    setBusy(true);
    onProblem("");
    what()
      .then(() => setText(""))
      .catch((error: unknown) => onProblem(error instanceof Error ? error.message : String(error)))
      .finally(() => setBusy(false));
  };
  const opened = (card: Promise<{ readonly id: string }>): Promise<void> =>
    card.then(({ id }) => onOpened(id));

  if (!isAtEnd)
    return (
      <section className="sb-act" aria-label="What can be done">
        <span className="sb-act-note">You look at the past.</span>
        <button
          type="button"
          disabled={isBusy}
          onClick={() => act(() => opened(actions.fork(taskId, moment.event.record.seq)))}
        >
          Fork from here
        </button>
        <button type="button" className="sb-main" onClick={onLive}>
          To the end
        </button>
      </section>
    );
  if (!isOpen)
    return (
      <section className="sb-act" aria-label="What can be done">
        <span className="sb-act-note">This task is recorded and rests.</span>
        <button
          type="button"
          disabled={isBusy}
          onClick={() => act(() => opened(actions.fork(taskId, moment.event.record.seq)))}
        >
          Fork
        </button>
        <button
          type="button"
          className="sb-main"
          disabled={isBusy}
          onClick={() => act(() => opened(actions.open(taskId)))}
        >
          Open it
        </button>
      </section>
    );

  const words = text.trim();
  const answer = (body: AnswerBody): void => {
    if (ask !== undefined) act(() => actions.answer(taskId, ask.askId, body));
  };
  const takes = (kind: "yes" | "no" | "text"): boolean => ask?.accepts.includes(kind) ?? false;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (words === "") return;
    if (takes("text")) answer({ kind: "text", text: words });
    else if (moment.derived.isWaitingForInput && ask === undefined) act(() => actions.say(taskId, words));
    else act(() => actions.queue(taskId, words));
  };
  const isCommand = ask?.kind === "command_output";
  return (
    <form className="sb-act" aria-label="What can be done" onSubmit={send}>
      {ask !== undefined && <span className="sb-act-note">{WANTED[ask.kind] ?? ask.kind}</span>}
      <input
        value={text}
        onChange={({ target }) => setText(target.value)}
        placeholder={
          takes("text") ? "Answer, or words beside it" : "Say something: it waits until the agent takes it"
        }
        aria-label="Words for the agent"
      />
      {isCommand && ask !== undefined ? (
        <>
          <button
            type="button"
            className="sb-main"
            disabled={isBusy}
            onClick={() => act(() => actions.proceed(taskId, ask.askId))}
          >
            Go on beside it
          </button>
          <button
            type="button"
            className="sb-no"
            disabled={isBusy}
            onClick={() => act(() => actions.abort(taskId, ask.askId))}
          >
            End the command
          </button>
        </>
      ) : (
        <>
          {takes("yes") && (
            <button
              type="button"
              className="sb-main"
              disabled={isBusy}
              onClick={() => answer({ kind: "yes", ...(words && { text: words }) })}
            >
              {ask?.kind === "resume_task" ? "Resume" : "Approve"}
            </button>
          )}
          {takes("no") && (
            <button
              type="button"
              className="sb-no"
              disabled={isBusy}
              onClick={() => answer({ kind: "no", ...(words && { text: words }) })}
            >
              Reject
            </button>
          )}
        </>
      )}
      <button type="submit" disabled={isBusy || words === ""}>
        {takes("text") ? "Send" : "Queue"}
      </button>
      {moment.derived.isRunning || moment.derived.state === "waiting_for_input" ? (
        <button type="button" disabled={isBusy} onClick={() => act(() => actions.cancel(taskId))}>
          Cancel
        </button>
      ) : null}
    </form>
  );
}

const WANTED: Readonly<Record<string, string>> = {
  tool: "Allow this tool call?",
  command: "Run this command?",
  use_mcp_server: "Use this server?",
  followup: "The agent asks.",
  command_output: "A command runs.",
  completion_result: "Done: is it good?",
  api_req_failed: "The request failed. Again?",
  resume_task: "It was interrupted.",
  mistake_limit_reached: "Too many mistakes. Go on?",
  auto_approval_max_req_reached: "A limit is reached. Go on?",
  resume_completed_task: "It was completed.",
};
