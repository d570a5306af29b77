// Replace one actor: code answers the asks.
import { type Answer, anthropic, createHost, memoryJournal } from "signalbox";
import { type Edge, fromEvents } from "signalbox/actors";
import type { ActorInputs, AskEvent } from "signalbox/machines";
import { parseScript, startMock } from "signalbox/testing";
import type { EventObject } from "xstate";

function answerOf({ ask, text }: ActorInputs["ask"]): Answer {
  if (ask === "followup") return { kind: "text", text: "The short one." };
  if (ask === "command" && text !== "node --version") return { kind: "no", text: "Only node --version." };
  return { kind: "yes" };
}

const aborted = (signal: AbortSignal) => new Promise((end) => signal.addEventListener("abort", end));

const askCode = (edge: Edge) =>
  fromEvents<EventObject, AskEvent, ActorInputs["ask"]>(edge, {
    async *source({ input, signal }) {
      const answer = answerOf(input);
      if (!input.accepts.includes(answer.kind)) return void (await aborted(signal));
      console.log(`${input.ask}: ${answer.kind}`);
      yield { type: "ask.answered", askId: input.askId, answer };
    },
    isTerminal: () => true,
    failed: ({ askId }) => ({ type: "ask.answered", askId, answer: { kind: "no" } }),
  });

const mock = await startMock(
  parseScript(`
  - { tool: execute_command, input: { command: rm -rf build } }
  - { tool: ask_followup_question, input: { question: Which name?, follow_up: [{ text: The long one. }] } }
  - { tool: attempt_completion, input: { result: The short one it is. } }`),
);
const host = createHost({ journal: () => memoryJournal() });
const model = anthropic({ model: "claude-sonnet-4-6", baseURL: mock.url, apiKey: "any" });
const task = await host.create({ model, workspace: ".", actors: (_standard, edge) => ({ ask: askCode(edge) }) });
console.log((await task.run("Choose a name")).result);
await host.closeAll();
await mock.close();
