/**
 * The tasks of a run, by what happens to them besides faults. `parent`: it has a subtask. `dropped`: it is cancelled while its
 * subtask works. `served`: it is started by a server, and gets its message and its answer through servers.
 */
export const KINDS = ["plain", "question", "message", "cancelled", "parent", "dropped", "served"] as const;
export type Kind = (typeof KINDS)[number];

/** The prompt that a task completes with before the faults begin. The script finds its kind by it. */
export const firstPrompt = (kind: Kind): string => `Begin ${kind}`;

/** Responses that complete a task. A task that was interrupted or got a message asks for more than one. */
const COMPLETIONS = 60;

const completes = (result: string) => ({ tool: "attempt_completion", input: { result } });
const effect = (line: string) => ({ tool: "effect", input: { line } });
const question = {
  tool: "ask_followup_question",
  input: { question: "Which?", follow_up: [{ text: "one", mode: null }] },
};
/** A response that takes about 4 s, so that faults meet it. */
const slowly = (...calls: readonly unknown[]) => ({
  blocks: [{ text: { repeat: "word ", times: 80 }, chunk: 20, delayMs: 200 }, ...calls],
});

/** Begins the conversation of a subtask. */
const HELP = "Help the other one.";
const subtask = { tool: "new_task", input: { mode: "code", message: HELP } };
const HELPING = [slowly(effect("helping")), question, slowly(effect("helped"))];

const TURNS: Readonly<Record<Kind, readonly unknown[]>> = {
  plain: [effect("one"), slowly(effect("two")), slowly(effect("three"), effect("four"))],
  question: [slowly(effect("one")), question, slowly(effect("two"))],
  message: [slowly(effect("one")), slowly(effect("two"))],
  cancelled: [slowly(effect("one")), slowly(effect("two")), slowly(effect("three"))],
  parent: [slowly(effect("one")), subtask, slowly(effect("two"))],
  dropped: [subtask, slowly(effect("one"))],
  served: [slowly(effect("one")), question, slowly(effect("two"))],
};

const COMPLETING = Array.from({ length: COMPLETIONS }, () => completes("Done."));

/** The script of the model: each turn is chosen by the request alone, so any worker can continue a task. */
export const script = JSON.stringify({
  rules: [
    ...KINDS.map((kind) => ({
      when: { conversation: firstPrompt(kind) },
      turns: [...(kind === "served" ? [] : [completes("Ready.")]), ...TURNS[kind], ...COMPLETING],
    })),
    { when: { conversation: HELP }, turns: [...HELPING, ...COMPLETING] },
  ],
});
